# Unit tests that take many seconds, by the names that gtest_discover_tests gives them.
set_tests_properties(
  Lowering.MovesEveryByteOfEveryDistribution Lowering.MovesEveryByteInEveryWay
  Lowering.MovesEveryByteToWhereTheBlocksLie Alltoall.EveryAlgorithmIsProven
  BadValues.AreReadOrRefusedInOneLineThatNamesTheOption
  PROPERTIES LABELS slow)
