# Unit tests that take many seconds, by the names that gtest_discover_tests gives them.
set_tests_properties(Lowering.MovesEveryByteOfEveryDistribution Lowering.MovesEveryByteInEveryWay PROPERTIES LABELS slow)
