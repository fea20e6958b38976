"""The public names of arpad, for type checkers and editors; `__init__.py` loads them when they are used."""

from arpad.errors import ArpadError as ArpadError
from arpad.errors import BusyError as BusyError
from arpad.errors import DroppedRowsWarning as DroppedRowsWarning
from arpad.errors import EngineError as EngineError
from arpad.errors import FormatError as FormatError
from arpad.errors import InputError as InputError
from arpad.errors import LedgerError as LedgerError
from arpad.errors import OverwriteError as OverwriteError
from arpad.errors import PromiseError as PromiseError
from arpad.errors import StrictError as StrictError
from arpad.errors import UsageError as UsageError
from arpad.event.field import crosstable as crosstable
from arpad.event.forecast import finish as finish
from arpad.event.handicap import match_handicap as match_handicap
from arpad.event.match import forecast as _match
from arpad.event.performance import Performance as Performance
from arpad.event.performance import performance as performance
from arpad.event.report import EventReport as EventReport
from arpad.event.report import event as event
from arpad.lab.coverage import Coverage as Coverage
from arpad.lab.coverage import KnownWorld as KnownWorld
from arpad.lab.coverage import coverage as coverage
from arpad.lab.predict import Prediction as Prediction
from arpad.lab.predict import predict as predict
from arpad.lab.simulate import Simulation as Simulation
from arpad.lab.simulate import simulate as simulate
from arpad.lab.tuning import Tuning as Tuning
from arpad.lab.tuning import tune as tune
from arpad.lab.worlds import World as World
from arpad.lab.worlds import population as population
from arpad.ledger.db.ledger import Ledger as Ledger
from arpad.model import Event as Event
from arpad.model import Games as Games
from arpad.model import Player as Player
from arpad.model import Ratings as Ratings
from arpad.moves.analysis import LocalWorkers as LocalWorkers
from arpad.moves.analysis import analyse as analyse
from arpad.moves.average_error import measure_errors as measure_errors
from arpad.moves.engine import EngineSettings as EngineSettings
from arpad.moves.error_report import group_errors as group_errors
from arpad.moves.evaluate import EngineWork as EngineWork
from arpad.moves.evaluate import evaluate_games as evaluate_games
from arpad.moves.evaluated_games import read_evaluated as read_evaluated
from arpad.moves.gain import measure as _gain
from arpad.moves.gain_report import gain_report as gain_report
from arpad.moves.ipr.rating import intrinsic_rating as intrinsic_rating
from arpad.moves.strength.estimate import strength as strength
from arpad.pool.check import check as check
from arpad.pool.deflation import deflation as deflation
from arpad.pool.deflation import exchange as exchange
from arpad.pool.demography import growth as growth
from arpad.pool.distribution import Distribution as Distribution
from arpad.pool.distribution import distribution as distribution
from arpad.pool.draw_check import check_draws as check_draws
from arpad.pool.greatness.run import find_greatness as find_greatness
from arpad.pool.history import History as History
from arpad.pool.history import HistorySystem as HistorySystem
from arpad.pool.monitors import account as account
from arpad.pool.monitors import cohort as cohort
from arpad.pool.monitors import shape as shape
from arpad.pool.scales import fit_scale as fit_scale
from arpad.publish.export.games import write_games as write_games
from arpad.publish.export.rating_list import export_list as export_list
from arpad.publish.site import SiteResult as SiteResult
from arpad.publish.site import write_site as write_site
from arpad.rate.arpad_system import ArpadSystem as ArpadSystem
from arpad.rate.bootstrap import bootstrap as bootstrap
from arpad.rate.draws import DrawModel as DrawModel
from arpad.rate.draws import fit_draws as fit_draws
from arpad.rate.elo import Elo as Elo
from arpad.rate.elo_book.system import EloBook as EloBook
from arpad.rate.fide.system import Fide as Fide
from arpad.rate.glicko.systems import Glicko as Glicko
from arpad.rate.glicko.systems import Glicko2 as Glicko2
from arpad.rate.glicko.systems import Stephenson as Stephenson
from arpad.rate.historical.systems import Bcf as Bcf
from arpad.rate.historical.systems import Berkin as Berkin
from arpad.rate.historical.systems import Ccla as Ccla
from arpad.rate.historical.systems import Harkness as Harkness
from arpad.rate.historical.systems import Ingo as Ingo
from arpad.rate.historical.systems import Periodic as Periodic
from arpad.rate.k import KPolicy as KPolicy
from arpad.rate.k import k_policy as k_policy
from arpad.rate.pool import PoolRatings as PoolRatings
from arpad.rate.pool import PoolSystem as PoolSystem
from arpad.rate.pool import pool as pool
from arpad.rate.pra.system import Pra as Pra
from arpad.rate.pra.system import PraBasic as PraBasic
from arpad.rate.rating import rate as rate
from arpad.rate.registry import register as register
from arpad.rate.registry import system as system
from arpad.rate.system import RatingSystem as RatingSystem
from arpad.rate.uscf.systems import Uscf1993 as Uscf1993
from arpad.rate.uscf.systems import Uscf1994 as Uscf1994
from arpad.rate.whr.system import Whr as Whr
from arpad.read.pgn.games import iterate as _iterate_pgn
from arpad.read.reading import Reading as Reading
from arpad.read.reading import games_from as games_from
from arpad.read.reading import read as _read_games
from arpad.read.reading import read as read
from arpad.read.reading import read_list as read_list
from arpad.read.reading import read_moves as read_moves
from arpad.read.table import from_frame as from_frame
from arpad.scale import curve as curve

gain = _gain
match = _match
read_games = _read_games
iterate_pgn = _iterate_pgn

__version__: str
CALLABLE: dict[str, str]
CHARTS: dict[str, str]
NAMES: dict[str, str]

def make_callable(package: str) -> None: ...
