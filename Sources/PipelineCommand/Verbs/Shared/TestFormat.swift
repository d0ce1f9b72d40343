/// The format of the results of tests: text, JSON, or the XML of JUnit for CI servers.
enum TestFormat: String, CaseIterable, Sendable { case text, json, junit }
