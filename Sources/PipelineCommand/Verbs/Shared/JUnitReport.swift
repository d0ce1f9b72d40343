import Connectors
import Pipeline

/// A report of tests in the XML of JUnit, which CI servers show.
struct JUnitReport {
    /// The outcome of one test.
    struct Case {
        /// What a test that did not pass has.
        enum Outcome {
            case passed
            /// A difference from what is expected: a summary in one line, and all differences.
            case failure(String, details: String)
            /// The test could not run: a summary in one line, and the reasons.
            case error(String, details: String)
        }

        let name: String
        /// The simulated duration in nanoseconds.
        var duration: Int64 = 0
        let outcome: Outcome
    }

    /// The tests of each file, in the order in which they ran.
    private var suites: [(file: String, cases: [Case])] = []

    /// Adds a test of a file.
    mutating func add(_ test: Case, of file: String) {
        if suites.last?.file != file { suites.append((file, [])) }
        suites[suites.count - 1].cases.append(test)
    }

    /// The report as XML. Characters that XML cannot contain are replaced.
    var xml: String {
        let all = suites.flatMap(\.cases)
        var xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"pipectl test\"\(Self.totals(all))>\n"
        for (file, cases) in suites {
            xml += "  <testsuite\(Self.attribute("name", file))\(Self.totals(cases))>\n"
            for test in cases {
                let time = Self.seconds(test.duration)
                xml +=
                    "    <testcase\(Self.attribute("classname", file))\(Self.attribute("name", test.name)) time=\"\(time)\""
                switch test.outcome {
                case .passed: xml += "/>\n"
                case .failure(let message, let details): xml += Self.problem("failure", message, details)
                case .error(let message, let details): xml += Self.problem("error", message, details)
                }
            }
            xml += "  </testsuite>\n"
        }
        return xml + "</testsuites>\n"
    }

    private static func totals(_ cases: [Case]) -> String {
        let failures = cases.count { if case .failure = $0.outcome { true } else { false } }
        let errors = cases.count { if case .error = $0.outcome { true } else { false } }
        let time = seconds(cases.reduce(0) { $0.addingSaturated($1.duration) })
        return " tests=\"\(cases.count)\" failures=\"\(failures)\" errors=\"\(errors)\" time=\"\(time)\""
    }

    private static func problem(_ element: String, _ message: String, _ details: String) -> String {
        let lines = details.split(separator: "\n").map { GestureDrawing.escaped(String($0)) }
        let body = lines.joined(separator: "\n")
        return ">\n      <\(element)\(attribute("message", message))>\(body)</\(element)>\n    </testcase>\n"
    }

    private static func attribute(_ name: String, _ value: String) -> String {
        " \(name)=\"\(GestureDrawing.escaped(value))\""
    }

    /// Returns a time as a decimal number without an exponent.
    private static func seconds(_ nanoseconds: Int64) -> String {
        let fraction = String(1_000_000 + nanoseconds / 1000 % 1_000_000).dropFirst()
        return "\(nanoseconds / 1_000_000_000).\(fraction)"
    }
}
