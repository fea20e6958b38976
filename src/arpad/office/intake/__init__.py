"""Files into the ledger: what they bring, who is who, all of a file or nothing."""
