# Reads SMT-LIB from standard input, answers as a solver's executable would. Argument: milliseconds for a question.
import sys
import bitwuzla

options = bitwuzla.Options()
options.set(bitwuzla.Option.PRODUCE_MODELS, True)
options.set(bitwuzla.Option.TIME_LIMIT_PER, int(sys.argv[1]))
parser = bitwuzla.Parser(bitwuzla.TermManager(), options, base=16)
parser.parse(sys.stdin.read(), parse_file=False)
