"""Small inputs that several tests share; all of them made up."""

from __future__ import annotations

PGN = """[Event "Club night"]
[Site "Oslo NOR"]
[Date "2024.03.01"]
[Round "1"]
[White "Ås, Åse"]
[Black "Berg, Bo"]
[Result "1-0"]
[WhiteElo "2100"]
[BlackElo "-"]
[WhiteFideId "1500011"]

{opening words [%eval 0.13]} 1. e4 {[%eval 0.2] [%clk 0:10:00]} e5 $1 2. Qh5 (2. Nf3 Nc6 (2... d6)) Nc6
3. Bc4 Nf6?? ; never play this
4. Qxf7# 1-0

[Event "Club night"]
[Site "Oslo NOR"]
[Date "2024.03.??"]
[Round "2"]
[White "Berg, Bo"]
[Black "Ås, Åse"]
[Result "1/2-1/2"]

1. d4 d5 2. c4 c6 1/2-1/2

[Event "Club night"]
[Site "Oslo NOR"]
[Date "????.??.??"]
[Round "3"]
[White "Ås, Åse"]
[Black "Dahl, Dan"]
[Result "*"]

*
"""

TRF = """012 Sample Open
022 Oslo
032 NOR
042 2026/03/06
052 2026/03/08
062 5
072 4
092 Individual: Swiss-System
102 IA Hansen, Ola (1500001)
112 FA Berg, Kari
112 FA Berg, Kim
122 90 min + 30 sec per move
132                                                                                        26/03/06  26/03/07  26/03/08
XXR 3
001    1 m GM Alpha, Anton                      2601 NOR     1500011 1990/01/31  2.0    1     3 w 1     5 b 1
001    2 wWIM Beta, Berit                       2310 SWE     1700022 1995/02/28  1.5    2     4 b =     3 w +
001    3 m    Gamma, Gustav                     2204 NOR     1500033 2001/00/00  0.0    5     1 b 0     2 b -
001    4 m FM Delta, Dag                        2190 DEN     1400044 1988/11/05  1.0    3     2 w =  0000 - H
001    5 m    Epsilon, Even                          NOR             2010/07/15  1.0    4  0000 - U     1 w 0
013 Blue team                          1    3
"""

TRF26_TEAMS = """### TRF26 team sample (2 boards, 2 rounds, 3 teams)
012 Sample Team Cup
042 2026/04/10
052 2026/04/11
092 Team: Swiss-System
132                                                                                        26/04/10  26/04/11
142 2
152 W
192 FIDE_TEAM_TYPEA_MP_GP
212 PTS,EMGSB
222 5400+30
352 WB
362 TW 2.0   TD 1.0   TL 0.0
001    1 m    Player, No1                       2400 NOR     1500101 1990/01/01  2.0    1     2 w 1     6 w 1
001    2 m    Player, No2                       2380 NOR     1500102 1990/01/01  0.0    4     1 b 0
001    3 m    Player, No3                       2350 NOR     1500103 1990/01/01  0.0    4               4 w 0
001    4 m    Player, No4                       2300 NOR     1500104 1990/01/01  1.5    2     5 b =     3 b 1
001    5 m    Player, No5                       2290 NOR     1500105 1990/01/01  0.5    3     4 w =
001    6 m    Player, No6                       2280 NOR     1500106 1990/01/01  0.0    4               1 b 0
NOR    1      Player, No1                       2350 NOR        N101
310   1 Oslo SK                          OSK     2350    4.0    3.5   1     1    4
310   2 Bergen SK                        BSK     2335    1.0    1.5   2     2    5
310   3 Tromso SK                        TSK     2315    1.0    1.0   3     3    6
300 002 001 003 0004 0001
320  1.0  1.0 003 002
"""

PRA = """Isle_of_Lewis_1995
4
Chessmetrics(FailedHere)
2687 Polgar
2607 Agdestein
2499 Motwani
2707 Short
2807
3 2 0.5 1 4 1.0
2 4 1.0 3 1 0.0
1 2 0.5 4 3 1.0
2 3 0.0 4 1 0.0
2 1 0.5 3 4 0.0
1 3 1.0 4 2 0.0
-1 -1 -1.0
"""

USCF_TEXT = """-----------------------------------------------------------------------------------------
 Pair | Player Name                     |Total|Round|Round|Round|
 Num  | USCF ID / Rtg (Pre->Post)       | Pts |  1  |  2  |  3  |
-----------------------------------------------------------------------------------------
    1 | ANNA EXAMPLE                    |2.5  |W   3|D   2|X   4|
   NY | 12345678 / R: 1794   ->1817     |N:2  |W    |B    |     |
-----------------------------------------------------------------------------------------
    2 | BOB EXAMPLE                     |2.0  |H    |D   1|W   3|
   NJ | 12345679 / R: 1553   ->1560     |     |     |W    |B    |
-----------------------------------------------------------------------------------------
    3 | CARL EXAMPLE                    |0.0  |L   1|U    |L   2|
   NJ | 12345680 / R: 1210P5 ->1190P7   |     |B    |     |W    |
-----------------------------------------------------------------------------------------
    4 | DORA EXAMPLE                    |1.0  |B    |U    |F   1|
   NJ | 12345681 / R: 1000   ->1000     |     |     |     |     |
"""

FIDE_TXT = """ID Number      Name                                                         Fed Sex Tit  WTit OTit           FOA NOV24 Gms K  B-day Flag
1503014        Carlsen, Magnus                                              NOR M   GM                            2831  0   10 1990
7000001        Newcomer, Nina                                               NOR F        WFM  FI,FT               1450  5   40 2010  w
"""

FIDE_XML = """<?xml version="1.0" encoding="UTF-8"?>
<playerslist>
<player><fideid>1503014</fideid><name>Carlsen, Magnus</name><country>NOR</country><sex>M</sex><title>GM</title><rating>2831</rating><games>0</games><k>10</k><birthday>1990</birthday><flag></flag></player>
<player><fideid>7000001</fideid><name>Newcomer, Nina</name><country>NOR</country><sex>F</sex><title></title><rating>0</rating><games>5</games><k>40</k><birthday>2010</birthday><flag>w</flag></player>
</playerslist>
"""
