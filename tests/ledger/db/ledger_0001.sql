-- A ledger of revision 0001 as it was written then; only read, never made anew.
BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0001');
CREATE TABLE decisions (
	id INTEGER NOT NULL, 
	"when" DATETIME NOT NULL, 
	who TEXT NOT NULL, 
	why TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	subject TEXT NOT NULL, 
	"before" TEXT, 
	"after" TEXT, 
	undoes INTEGER, 
	undone_by INTEGER, 
	CONSTRAINT pk_decisions PRIMARY KEY (id), 
	CONSTRAINT fk_decisions_undoes FOREIGN KEY(undoes) REFERENCES decisions (id), 
	CONSTRAINT fk_decisions_undone_by FOREIGN KEY(undone_by) REFERENCES decisions (id)
);
INSERT INTO "decisions" VALUES(1,'2026-11-16 12:00:00.000000','anna','the same person','merge','player 1','{"merged_into":null}','{"merged_into":12}',NULL,2);
INSERT INTO "decisions" VALUES(2,'2026-11-16 12:00:00.000000','bo','not so','undo','player 1',NULL,NULL,1,NULL);
CREATE TABLE doubts (
	id INTEGER NOT NULL, 
	kind TEXT NOT NULL, 
	opened DATETIME NOT NULL, 
	about TEXT NOT NULL, 
	import_id INTEGER, 
	event_id INTEGER, 
	player_id INTEGER, 
	document TEXT, 
	settled_by INTEGER, 
	CONSTRAINT pk_doubts PRIMARY KEY (id), 
	CONSTRAINT fk_doubts_event_id FOREIGN KEY(event_id) REFERENCES events (id), 
	CONSTRAINT fk_doubts_import_id FOREIGN KEY(import_id) REFERENCES imports (id), 
	CONSTRAINT fk_doubts_player_id FOREIGN KEY(player_id) REFERENCES players (id), 
	CONSTRAINT fk_doubts_settled_by FOREIGN KEY(settled_by) REFERENCES decisions (id)
);
INSERT INTO "doubts" VALUES(1,'player','2026-11-16 12:00:00.000000','player 3',1,NULL,3,'{"candidates":[[4,0.91]]}',2);
CREATE TABLE entries (
	list_id INTEGER NOT NULL, 
	player_id INTEGER NOT NULL, 
	rank INTEGER, 
	name TEXT NOT NULL, 
	title TEXT, 
	federation TEXT, 
	rating DOUBLE, 
	games INTEGER, 
	total_games INTEGER, 
	status TEXT, 
	change DOUBLE, 
	deviation DOUBLE, 
	document TEXT, 
	CONSTRAINT pk_entries PRIMARY KEY (list_id, player_id), 
	CONSTRAINT fk_entries_list_id FOREIGN KEY(list_id) REFERENCES lists (id) ON DELETE CASCADE, 
	CONSTRAINT fk_entries_player_id FOREIGN KEY(player_id) REFERENCES players (id)
);
INSERT INTO "entries" VALUES(1,1,1,' 1',NULL,NULL,1295.0,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "entries" VALUES(1,2,2,'謝軍 2',NULL,NULL,1492.0,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "entries" VALUES(1,3,3,'\N 3',NULL,NULL,1868.0,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "entries" VALUES(1,4,4,'O''Neill, "Bo" 4',NULL,NULL,1631.0,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "entries" VALUES(1,5,5,'Каспаров 5',NULL,NULL,1344.0,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "entries" VALUES(1,6,6,'Каспаров 6',NULL,NULL,1348.0,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "entries" VALUES(1,7,7,' 7',NULL,NULL,2400.0,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "entries" VALUES(1,8,8,'O''Neill, "Bo" 8',NULL,NULL,1942.0,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "entries" VALUES(1,9,9,'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx 9',NULL,NULL,1791.0,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "entries" VALUES(1,10,10,'O''Neill, "Bo" 10',NULL,NULL,822.0,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "entries" VALUES(1,11,11,'Каспаров 11',NULL,NULL,1786.0,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "entries" VALUES(1,12,12,'\N 12',NULL,NULL,1744.0,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "entries" VALUES(2,1,1,' 1',NULL,NULL,1295.0,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "entries" VALUES(2,2,2,'謝軍 2',NULL,NULL,1492.0,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "entries" VALUES(2,3,3,'\N 3',NULL,NULL,1868.0,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "entries" VALUES(2,4,4,'O''Neill, "Bo" 4',NULL,NULL,1631.0,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "entries" VALUES(2,5,5,'Каспаров 5',NULL,NULL,1344.0,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "entries" VALUES(2,6,6,'Каспаров 6',NULL,NULL,1348.0,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "entries" VALUES(2,7,7,' 7',NULL,NULL,2400.0,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "entries" VALUES(2,8,8,'O''Neill, "Bo" 8',NULL,NULL,1942.0,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "entries" VALUES(2,9,9,'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx 9',NULL,NULL,1791.0,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "entries" VALUES(2,10,10,'O''Neill, "Bo" 10',NULL,NULL,822.0,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "entries" VALUES(2,11,11,'Каспаров 11',NULL,NULL,1786.0,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "entries" VALUES(2,12,12,'\N 12',NULL,NULL,1744.0,NULL,NULL,NULL,NULL,NULL,NULL);
CREATE TABLE events (
	id INTEGER NOT NULL, 
	import_id INTEGER, 
	number INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	site TEXT, 
	federation TEXT, 
	start DATE, 
	"end" DATE, 
	kind TEXT, 
	time_control TEXT, 
	rounds INTEGER, 
	source TEXT NOT NULL, 
	content TEXT NOT NULL, 
	excluded BOOLEAN NOT NULL, 
	document TEXT, 
	CONSTRAINT pk_events PRIMARY KEY (id), 
	CONSTRAINT fk_events_import_id FOREIGN KEY(import_id) REFERENCES imports (id), 
	CONSTRAINT uq_events_source UNIQUE (source)
);
INSERT INTO "events" VALUES(1,1,1,'Open 1','謝軍',NULL,'2026-10-01','2026-10-10',NULL,'standard',9,'s1','c1',0,'{"arbiter":"Каспаров"}');
INSERT INTO "events" VALUES(2,1,2,'Open 2','''); DROP TABLE players;--',NULL,'2026-10-02','2026-10-11',NULL,'standard',9,'s2','c2',1,'{"arbiter":"謝軍"}');
CREATE TABLE games (
	id INTEGER NOT NULL, 
	event_id INTEGER NOT NULL, 
	number INTEGER NOT NULL, 
	round TEXT, 
	board INTEGER, 
	date DATE, 
	precision TEXT, 
	white_id INTEGER NOT NULL, 
	black_id INTEGER, 
	score DOUBLE, 
	black_score DOUBLE, 
	status TEXT NOT NULL, 
	white_rating DOUBLE, 
	black_rating DOUBLE, 
	plies INTEGER, 
	CONSTRAINT pk_games PRIMARY KEY (id), 
	CONSTRAINT ck_games_status CHECK (status IN ('played', 'unrated', 'forfeit', 'bye', 'unplayed')), 
	CONSTRAINT fk_games_black_id FOREIGN KEY(black_id) REFERENCES players (id), 
	CONSTRAINT fk_games_event_id FOREIGN KEY(event_id) REFERENCES events (id), 
	CONSTRAINT fk_games_white_id FOREIGN KEY(white_id) REFERENCES players (id), 
	CONSTRAINT uq_games_event_id_number UNIQUE (event_id, number)
);
INSERT INTO "games" VALUES(1,1,1,'2.1',NULL,'2026-10-03','day',2,10,NULL,NULL,'played',1.39845418738206535638e+03,NULL,80);
INSERT INTO "games" VALUES(2,2,2,'1',NULL,'2026-10-05','day',10,11,1.0,NULL,'played',1.86397126255966145442e+03,NULL,NULL);
INSERT INTO "games" VALUES(3,1,3,NULL,NULL,'2026-10-05','day',4,6,0.0,NULL,'bye',1.03720122791041535488e+03,NULL,80);
INSERT INTO "games" VALUES(4,2,4,'1',NULL,'2026-10-01','day',2,9,0.0,NULL,'forfeit',1.27499518151451684383e+03,NULL,NULL);
INSERT INTO "games" VALUES(5,1,5,'2.1',NULL,'2026-10-03','day',12,2,1.0,NULL,'bye',1.01116254600520164789e+03,NULL,80);
INSERT INTO "games" VALUES(6,2,6,'1',NULL,'2026-10-07','day',10,1,NULL,NULL,'played',1.92069568676300491457e+03,NULL,NULL);
INSERT INTO "games" VALUES(7,1,7,'1',NULL,'2026-10-09','day',10,4,1.0,NULL,'bye',1.23041958313913391974e+03,NULL,80);
INSERT INTO "games" VALUES(8,2,8,'2.1',NULL,'2026-10-06','day',8,11,0.5,NULL,'bye',1.59617078715224488408e+03,NULL,80);
INSERT INTO "games" VALUES(9,1,9,'1',NULL,'2026-10-06','day',9,7,1.0,NULL,'forfeit',1.54233580584261153493e+03,NULL,80);
INSERT INTO "games" VALUES(10,2,10,NULL,NULL,'2026-10-03','day',6,NULL,NULL,NULL,'bye',1.59142074166792644972e+03,NULL,NULL);
INSERT INTO "games" VALUES(11,1,11,'1',NULL,'2026-10-09','day',10,8,1.0,NULL,'forfeit',1.42254346703945657283e+03,NULL,NULL);
INSERT INTO "games" VALUES(12,2,12,'2.1',NULL,'2026-10-01','day',6,5,1.0,NULL,'played',1.6700989525943086846e+03,NULL,80);
INSERT INTO "games" VALUES(13,1,13,'2.1',NULL,'2026-10-08','day',4,3,0.0,NULL,'bye',2.13738012646609149675e+03,NULL,NULL);
INSERT INTO "games" VALUES(14,2,14,'2.1',NULL,'2026-10-09','day',12,4,0.5,NULL,'bye',1.61328056607017174426e+03,NULL,NULL);
INSERT INTO "games" VALUES(15,1,15,'1',NULL,'2026-10-07','day',2,10,0.0,NULL,'played',1.75929464467582488389e+03,NULL,80);
INSERT INTO "games" VALUES(16,2,16,'1',NULL,'2026-10-07','day',5,NULL,0.5,NULL,'played',1.90015581033016269429e+03,NULL,NULL);
INSERT INTO "games" VALUES(17,1,17,'2.1',NULL,'2026-10-07','day',8,6,NULL,NULL,'played',1.54061569273245140727e+03,NULL,NULL);
INSERT INTO "games" VALUES(18,2,18,'2.1',NULL,'2026-10-07','day',12,8,0.5,NULL,'bye',1.22209266044841024265e+03,NULL,80);
INSERT INTO "games" VALUES(19,1,19,NULL,NULL,'2026-10-02','day',5,10,1.0,NULL,'bye',1.43338135853879293795e+03,NULL,NULL);
INSERT INTO "games" VALUES(20,2,20,'2.1',NULL,'2026-10-08','day',2,12,0.5,NULL,'played',1.92207842181021032954e+03,NULL,80);
INSERT INTO "games" VALUES(21,1,21,'1',NULL,'2026-10-07','day',9,NULL,NULL,NULL,'bye',1.10613232874523623649e+03,NULL,NULL);
INSERT INTO "games" VALUES(22,2,22,'2.1',NULL,'2026-10-01','day',3,6,0.0,NULL,'bye',1.42064625383484622036e+03,NULL,80);
INSERT INTO "games" VALUES(23,1,23,NULL,NULL,'2026-10-04','day',3,8,NULL,NULL,'played',1.90222319578884139449e+03,NULL,NULL);
INSERT INTO "games" VALUES(24,2,24,'2.1',NULL,'2026-10-02','day',7,1,1.0,NULL,'forfeit',1.83782099495728175496e+03,NULL,NULL);
INSERT INTO "games" VALUES(25,1,25,NULL,NULL,'2026-10-04','day',11,2,0.0,NULL,'played',1.60228543846980483068e+03,NULL,80);
INSERT INTO "games" VALUES(26,2,26,'2.1',NULL,'2026-10-08','day',9,10,0.0,NULL,'played',1.84157073876173512866e+03,NULL,80);
INSERT INTO "games" VALUES(27,1,27,'2.1',NULL,'2026-10-03','day',6,12,NULL,NULL,'played',1.6497938296989518676e+03,NULL,NULL);
INSERT INTO "games" VALUES(28,2,28,NULL,NULL,'2026-10-02','day',12,6,0.5,NULL,'forfeit',1.24632536276281962275e+03,NULL,NULL);
INSERT INTO "games" VALUES(29,1,29,'2.1',NULL,'2026-10-06','day',10,8,NULL,NULL,'played',1.13081728923544051214e+03,NULL,NULL);
INSERT INTO "games" VALUES(30,2,30,'1',NULL,'2026-10-01','day',10,8,0.5,NULL,'forfeit',1.4083143590384711388e+03,NULL,80);
INSERT INTO "games" VALUES(31,1,31,'1',NULL,'2026-10-02','day',2,12,NULL,NULL,'bye',1.87681903306627373244e+03,NULL,80);
INSERT INTO "games" VALUES(32,2,32,'1',NULL,'2026-10-01','day',5,8,1.0,NULL,'played',1.43033645447308163057e+03,NULL,80);
INSERT INTO "games" VALUES(33,1,33,'1',NULL,'2026-10-03','day',12,11,0.0,NULL,'bye',1.32929241986187548715e+03,NULL,80);
INSERT INTO "games" VALUES(34,2,34,'1',NULL,'2026-10-09','day',2,1,NULL,NULL,'forfeit',1.36871184646630740641e+03,NULL,NULL);
INSERT INTO "games" VALUES(35,1,35,'1',NULL,'2026-10-02','day',12,5,NULL,NULL,'forfeit',1.14046991425069586508e+03,NULL,80);
INSERT INTO "games" VALUES(36,2,36,NULL,NULL,'2026-10-06','day',11,10,NULL,NULL,'bye',1.56481752391004647504e+03,NULL,80);
INSERT INTO "games" VALUES(37,1,37,'1',NULL,'2026-10-01','day',11,8,0.0,NULL,'forfeit',1.24611791430346352169e+03,NULL,NULL);
INSERT INTO "games" VALUES(38,2,38,'1',NULL,'2026-10-02','day',5,7,0.5,NULL,'played',1.70924379004260254075e+03,NULL,80);
INSERT INTO "games" VALUES(39,1,39,'2.1',NULL,'2026-10-04','day',11,6,0.5,NULL,'played',891.971076215363,NULL,NULL);
INSERT INTO "games" VALUES(40,2,40,NULL,NULL,'2026-10-07','day',1,8,0.5,NULL,'bye',1.69833436286982828282e+03,NULL,80);
CREATE TABLE imports (
	id INTEGER NOT NULL, 
	file TEXT NOT NULL, 
	sha256 TEXT NOT NULL, 
	format TEXT, 
	options TEXT, 
	"when" DATETIME NOT NULL, 
	who TEXT NOT NULL, 
	games INTEGER NOT NULL, 
	events INTEGER NOT NULL, 
	players_new INTEGER NOT NULL, 
	doubtful INTEGER NOT NULL, 
	CONSTRAINT pk_imports PRIMARY KEY (id)
);
INSERT INTO "imports" VALUES(1,'a.trf','abababababababababababababababababababababababababababababababab','trf','{"½":[1,null]}','2026-11-16 12:00:00.000000','anna',40,2,12,1);
CREATE TABLE lists (
	id INTEGER NOT NULL, 
	policy_id INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	number INTEGER NOT NULL, 
	closing DATE NOT NULL, 
	effective DATE, 
	state TEXT NOT NULL, 
	run_id INTEGER, 
	made DATETIME NOT NULL, 
	published DATETIME, 
	published_by TEXT, 
	corrects INTEGER, 
	figures TEXT, 
	CONSTRAINT pk_lists PRIMARY KEY (id), 
	CONSTRAINT ck_lists_published CHECK (state <> 'published' OR published IS NOT NULL), 
	CONSTRAINT ck_lists_state CHECK (state IN ('draft', 'published', 'correction')), 
	CONSTRAINT fk_lists_corrects FOREIGN KEY(corrects) REFERENCES lists (id), 
	CONSTRAINT fk_lists_policy_id FOREIGN KEY(policy_id) REFERENCES policies (id), 
	CONSTRAINT fk_lists_run_id FOREIGN KEY(run_id) REFERENCES runs (id), 
	CONSTRAINT uq_lists_policy_id_name_number UNIQUE (policy_id, name, number)
);
INSERT INTO "lists" VALUES(1,1,'2026-10',0,'2026-10-31','2026-11-01','published',1,'2026-11-16 12:00:00.000000','2026-11-16 12:00:00.000000','anna',NULL,NULL);
INSERT INTO "lists" VALUES(2,1,'2026-11',0,'2026-10-31','2026-11-01','draft',1,'2026-11-16 12:00:00.000000',NULL,NULL,NULL,NULL);
CREATE TABLE memberships (
	id INTEGER NOT NULL, 
	player_id INTEGER NOT NULL, 
	kind TEXT NOT NULL, 
	number TEXT, 
	"from" DATE, 
	until DATE, 
	CONSTRAINT pk_memberships PRIMARY KEY (id), 
	CONSTRAINT fk_memberships_player_id FOREIGN KEY(player_id) REFERENCES players (id)
);
INSERT INTO "memberships" VALUES(1,2,'club','№ 7','1999-12-31',NULL);
CREATE TABLE norms (
	id INTEGER NOT NULL, 
	player_id INTEGER NOT NULL, 
	event_id INTEGER NOT NULL, 
	title TEXT NOT NULL, 
	rules TEXT NOT NULL, 
	verdict TEXT, 
	CONSTRAINT pk_norms PRIMARY KEY (id), 
	CONSTRAINT fk_norms_event_id FOREIGN KEY(event_id) REFERENCES events (id), 
	CONSTRAINT fk_norms_player_id FOREIGN KEY(player_id) REFERENCES players (id), 
	CONSTRAINT uq_norms_player_id_event_id_title_rules UNIQUE (player_id, event_id, title, rules)
);
INSERT INTO "norms" VALUES(1,2,1,'IM','fide','{"ok":true}');
CREATE TABLE player_ids (
	player_id INTEGER NOT NULL, 
	scheme TEXT NOT NULL, 
	value TEXT NOT NULL, 
	CONSTRAINT pk_player_ids PRIMARY KEY (scheme, value), 
	CONSTRAINT fk_player_ids_player_id FOREIGN KEY(player_id) REFERENCES players (id)
);
INSERT INTO "player_ids" VALUES(1,'fide','7');
INSERT INTO "player_ids" VALUES(2,'fide','14');
INSERT INTO "player_ids" VALUES(3,'fide','21');
INSERT INTO "player_ids" VALUES(4,'fide','28');
INSERT INTO "player_ids" VALUES(5,'fide','35');
INSERT INTO "player_ids" VALUES(6,'fide','42');
INSERT INTO "player_ids" VALUES(7,'fide','49');
INSERT INTO "player_ids" VALUES(8,'fide','56');
INSERT INTO "player_ids" VALUES(9,'fide','63');
INSERT INTO "player_ids" VALUES(10,'fide','70');
INSERT INTO "player_ids" VALUES(11,'fide','77');
INSERT INTO "player_ids" VALUES(12,'fide','84');
CREATE TABLE player_names (
	player_id INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	fold TEXT NOT NULL, 
	CONSTRAINT pk_player_names PRIMARY KEY (player_id, name), 
	CONSTRAINT fk_player_names_player_id FOREIGN KEY(player_id) REFERENCES players (id)
);
INSERT INTO "player_names" VALUES(1,' 1','f');
INSERT INTO "player_names" VALUES(2,'謝軍 2','f');
INSERT INTO "player_names" VALUES(3,'\N 3','f');
INSERT INTO "player_names" VALUES(4,'O''Neill, "Bo" 4','f');
INSERT INTO "player_names" VALUES(5,'Каспаров 5','f');
INSERT INTO "player_names" VALUES(6,'Каспаров 6','f');
INSERT INTO "player_names" VALUES(7,' 7','f');
INSERT INTO "player_names" VALUES(8,'O''Neill, "Bo" 8','f');
INSERT INTO "player_names" VALUES(9,'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx 9','f');
INSERT INTO "player_names" VALUES(10,'O''Neill, "Bo" 10','f');
INSERT INTO "player_names" VALUES(11,'Каспаров 11','f');
INSERT INTO "player_names" VALUES(12,'\N 12','f');
CREATE TABLE players (
	id INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	birth TEXT, 
	federation TEXT, 
	sex TEXT, 
	title TEXT, 
	merged_into INTEGER, 
	import_id INTEGER, 
	CONSTRAINT pk_players PRIMARY KEY (id), 
	CONSTRAINT fk_players_import_id FOREIGN KEY(import_id) REFERENCES imports (id), 
	CONSTRAINT fk_players_merged_into FOREIGN KEY(merged_into) REFERENCES players (id)
);
INSERT INTO "players" VALUES(1,' 1','1953','HUN',NULL,NULL,12,1);
INSERT INTO "players" VALUES(2,'謝軍 2',NULL,NULL,NULL,NULL,NULL,1);
INSERT INTO "players" VALUES(3,'\N 3',NULL,'HUN',NULL,NULL,NULL,1);
INSERT INTO "players" VALUES(4,'O''Neill, "Bo" 4',NULL,'HUN',NULL,NULL,NULL,1);
INSERT INTO "players" VALUES(5,'Каспаров 5','1975-04-13','',NULL,NULL,NULL,1);
INSERT INTO "players" VALUES(6,'Каспаров 6','1953',NULL,NULL,NULL,NULL,1);
INSERT INTO "players" VALUES(7,' 7',NULL,NULL,NULL,NULL,NULL,1);
INSERT INTO "players" VALUES(8,'O''Neill, "Bo" 8','1975-04-13',NULL,NULL,NULL,NULL,1);
INSERT INTO "players" VALUES(9,'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx 9',NULL,'HUN',NULL,NULL,NULL,1);
INSERT INTO "players" VALUES(10,'O''Neill, "Bo" 10',NULL,NULL,NULL,NULL,NULL,1);
INSERT INTO "players" VALUES(11,'Каспаров 11','1975-04-13','',NULL,NULL,NULL,1);
INSERT INTO "players" VALUES(12,'\N 12','1975-04-13','',NULL,NULL,NULL,1);
CREATE TABLE policies (
	id INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	version INTEGER NOT NULL, 
	document TEXT NOT NULL, 
	created DATETIME NOT NULL, 
	CONSTRAINT pk_policies PRIMARY KEY (id), 
	CONSTRAINT uq_policies_name_version UNIQUE (name, version)
);
INSERT INTO "policies" VALUES(1,'club',1,'{"k":24}','2026-11-16 12:00:00.000000');
CREATE TABLE runs (
	id INTEGER NOT NULL, 
	policy_id INTEGER NOT NULL, 
	closing DATE NOT NULL, 
	previous_id INTEGER, 
	"key" TEXT NOT NULL, 
	made DATETIME NOT NULL, 
	figures TEXT, 
	CONSTRAINT pk_runs PRIMARY KEY (id), 
	CONSTRAINT fk_runs_policy_id FOREIGN KEY(policy_id) REFERENCES policies (id), 
	CONSTRAINT fk_runs_previous_id FOREIGN KEY(previous_id) REFERENCES runs (id), 
	CONSTRAINT uq_runs_policy_id_key UNIQUE (policy_id, "key")
);
INSERT INTO "runs" VALUES(1,1,'2026-10-31',NULL,'k1','2026-11-16 12:00:00.000000','{}');
CREATE TABLE states (
	run_id INTEGER NOT NULL, 
	player_id INTEGER NOT NULL, 
	rating DOUBLE, 
	games INTEGER, 
	total_games INTEGER, 
	deviation DOUBLE, 
	status TEXT, 
	state TEXT, 
	CONSTRAINT pk_states PRIMARY KEY (run_id, player_id), 
	CONSTRAINT fk_states_run_id FOREIGN KEY(run_id) REFERENCES runs (id) ON DELETE CASCADE
)
 WITHOUT ROWID

;
INSERT INTO "states" VALUES(1,1,1.2951771819761638653e+03,3,NULL,NULL,NULL,'{}');
INSERT INTO "states" VALUES(1,2,1.49230744675091818863e+03,3,NULL,NULL,NULL,'{}');
INSERT INTO "states" VALUES(1,3,1.86750173657835239282e+03,3,NULL,NULL,NULL,'{}');
INSERT INTO "states" VALUES(1,4,1.63052296510890505493e+03,3,NULL,NULL,NULL,'{}');
INSERT INTO "states" VALUES(1,5,1.34409146612939957776e+03,3,NULL,NULL,NULL,'{}');
INSERT INTO "states" VALUES(1,6,1.34751877350478707737e+03,3,NULL,NULL,NULL,'{}');
INSERT INTO "states" VALUES(1,7,2.4000039475886760557e+03,3,NULL,NULL,NULL,'{}');
INSERT INTO "states" VALUES(1,8,1.94196828742208936089e+03,3,NULL,NULL,NULL,'{}');
INSERT INTO "states" VALUES(1,9,1.79121863248661043147e+03,3,NULL,NULL,NULL,'{}');
INSERT INTO "states" VALUES(1,10,8.22124330572797816767e+02,3,NULL,NULL,NULL,'{}');
INSERT INTO "states" VALUES(1,11,1.78644447123302734328e+03,3,NULL,NULL,NULL,'{}');
INSERT INTO "states" VALUES(1,12,1.74420805013153130862e+03,3,NULL,NULL,NULL,'{}');
CREATE TABLE steps (
	run_id INTEGER NOT NULL, 
	player_id INTEGER NOT NULL, 
	seq INTEGER NOT NULL, 
	game_id INTEGER, 
	event_id INTEGER, 
	opponent_id INTEGER, 
	rating DOUBLE, 
	opponent_rating DOUBLE, 
	score DOUBLE, 
	expected DOUBLE, 
	k DOUBLE, 
	change DOUBLE, 
	rule TEXT, 
	CONSTRAINT pk_steps PRIMARY KEY (run_id, player_id, seq), 
	CONSTRAINT fk_steps_run_id FOREIGN KEY(run_id) REFERENCES runs (id) ON DELETE CASCADE
)
 WITHOUT ROWID

;
INSERT INTO "steps" VALUES(1,1,1,1,NULL,NULL,1.2951771819761638653e+03,NULL,NULL,NULL,NULL,3.00000000000000044408e-01,'FIDE 8.3.1');
INSERT INTO "steps" VALUES(1,2,1,1,NULL,NULL,1.49230744675091818863e+03,NULL,NULL,NULL,NULL,3.00000000000000044408e-01,'FIDE 8.3.1');
INSERT INTO "steps" VALUES(1,3,1,1,NULL,NULL,1.86750173657835239282e+03,NULL,NULL,NULL,NULL,3.00000000000000044408e-01,'FIDE 8.3.1');
INSERT INTO "steps" VALUES(1,4,1,1,NULL,NULL,1.63052296510890505493e+03,NULL,NULL,NULL,NULL,3.00000000000000044408e-01,'FIDE 8.3.1');
INSERT INTO "steps" VALUES(1,5,1,1,NULL,NULL,1.34409146612939957776e+03,NULL,NULL,NULL,NULL,3.00000000000000044408e-01,'FIDE 8.3.1');
INSERT INTO "steps" VALUES(1,6,1,1,NULL,NULL,1.34751877350478707737e+03,NULL,NULL,NULL,NULL,3.00000000000000044408e-01,'FIDE 8.3.1');
INSERT INTO "steps" VALUES(1,7,1,1,NULL,NULL,2.4000039475886760557e+03,NULL,NULL,NULL,NULL,3.00000000000000044408e-01,'FIDE 8.3.1');
INSERT INTO "steps" VALUES(1,8,1,1,NULL,NULL,1.94196828742208936089e+03,NULL,NULL,NULL,NULL,3.00000000000000044408e-01,'FIDE 8.3.1');
INSERT INTO "steps" VALUES(1,9,1,1,NULL,NULL,1.79121863248661043147e+03,NULL,NULL,NULL,NULL,3.00000000000000044408e-01,'FIDE 8.3.1');
INSERT INTO "steps" VALUES(1,10,1,1,NULL,NULL,8.22124330572797816767e+02,NULL,NULL,NULL,NULL,3.00000000000000044408e-01,'FIDE 8.3.1');
INSERT INTO "steps" VALUES(1,11,1,1,NULL,NULL,1.78644447123302734328e+03,NULL,NULL,NULL,NULL,3.00000000000000044408e-01,'FIDE 8.3.1');
INSERT INTO "steps" VALUES(1,12,1,1,NULL,NULL,1.74420805013153130862e+03,NULL,NULL,NULL,NULL,3.00000000000000044408e-01,'FIDE 8.3.1');
CREATE TABLE titles (
	id INTEGER NOT NULL, 
	player_id INTEGER NOT NULL, 
	title TEXT NOT NULL, 
	date DATE, 
	rules TEXT NOT NULL, 
	because TEXT, 
	CONSTRAINT pk_titles PRIMARY KEY (id), 
	CONSTRAINT fk_titles_player_id FOREIGN KEY(player_id) REFERENCES players (id), 
	CONSTRAINT uq_titles_player_id_title_rules UNIQUE (player_id, title, rules)
);
INSERT INTO "titles" VALUES(1,2,'IM','2026-11-01','fide','[1]');
CREATE INDEX ix_decisions_subject ON decisions (subject);
CREATE INDEX ix_doubts_settled_by ON doubts (settled_by);
CREATE INDEX ix_events_end ON events ("end");
CREATE INDEX ix_events_name ON events (name);
CREATE INDEX ix_games_black_id ON games (black_id);
CREATE INDEX ix_games_white_id ON games (white_id);
CREATE INDEX ix_imports_sha256 ON imports (sha256);
CREATE INDEX ix_lists_run_id ON lists (run_id);
CREATE INDEX ix_memberships_player_id ON memberships (player_id);
CREATE INDEX ix_norms_event_id ON norms (event_id);
CREATE INDEX ix_player_ids_player_id ON player_ids (player_id);
CREATE INDEX ix_player_names_fold ON player_names (fold);
CREATE INDEX ix_runs_previous_id ON runs (previous_id);
CREATE TRIGGER guard_lists_update BEFORE UPDATE ON lists WHEN OLD.published IS NOT NULL BEGIN SELECT RAISE(ABORT, 'a published list is frozen: make a correction instead (arpad list make)'); END;
CREATE TRIGGER guard_lists_delete BEFORE DELETE ON lists WHEN OLD.published IS NOT NULL BEGIN SELECT RAISE(ABORT, 'a published list is frozen: make a correction instead (arpad list make)'); END;
CREATE TRIGGER guard_entries_insert BEFORE INSERT ON entries WHEN EXISTS (SELECT 1 FROM lists WHERE id = NEW.list_id AND published IS NOT NULL) BEGIN SELECT RAISE(ABORT, 'a published list is frozen: make a correction instead (arpad list make)'); END;
CREATE TRIGGER guard_entries_update BEFORE UPDATE ON entries WHEN EXISTS (SELECT 1 FROM lists WHERE id = OLD.list_id AND published IS NOT NULL) BEGIN SELECT RAISE(ABORT, 'a published list is frozen: make a correction instead (arpad list make)'); END;
CREATE TRIGGER guard_entries_delete BEFORE DELETE ON entries WHEN EXISTS (SELECT 1 FROM lists WHERE id = OLD.list_id AND published IS NOT NULL) BEGIN SELECT RAISE(ABORT, 'a published list is frozen: make a correction instead (arpad list make)'); END;
CREATE TRIGGER guard_policies_update BEFORE UPDATE ON policies WHEN 1 = 1 BEGIN SELECT RAISE(ABORT, 'a policy never changes: give it a new version'); END;
CREATE TRIGGER guard_runs_update BEFORE UPDATE ON runs WHEN 1 = 1 BEGIN SELECT RAISE(ABORT, 'workings of a run never change: a changed ledger gives a new run'); END;
CREATE TRIGGER guard_states_update BEFORE UPDATE ON states WHEN 1 = 1 BEGIN SELECT RAISE(ABORT, 'workings of a run never change: a changed ledger gives a new run'); END;
CREATE TRIGGER guard_states_delete BEFORE DELETE ON states WHEN EXISTS (SELECT 1 FROM runs WHERE id = OLD.run_id) BEGIN SELECT RAISE(ABORT, 'workings of a run never change: a changed ledger gives a new run'); END;
CREATE TRIGGER guard_steps_update BEFORE UPDATE ON steps WHEN 1 = 1 BEGIN SELECT RAISE(ABORT, 'workings of a run never change: a changed ledger gives a new run'); END;
CREATE TRIGGER guard_steps_delete BEFORE DELETE ON steps WHEN EXISTS (SELECT 1 FROM runs WHERE id = OLD.run_id) BEGIN SELECT RAISE(ABORT, 'workings of a run never change: a changed ledger gives a new run'); END;
CREATE TRIGGER guard_decisions_delete BEFORE DELETE ON decisions WHEN 1 = 1 BEGIN SELECT RAISE(ABORT, 'a decision stays in the log: undo it instead'); END;
CREATE TRIGGER guard_decisions_update BEFORE UPDATE OF id, "when", who, why, kind, subject, before, after, undoes ON decisions WHEN 1 = 1 BEGIN SELECT RAISE(ABORT, 'a decision stays as it was taken: undo it instead'); END;
COMMIT;
