"""The ledger's database: tables, migrations, connections, backups."""
