import Foundation
import Testing

/// The Python package for Spark, in the environment that `scripts/peers spark` creates. `scripts/check-deep.sh spark` also runs
/// its other tests, which need a cluster.
@Suite("Spark", .enabled(if: SparkPython.isThere, "scripts/peers spark has not been run, or there is no Java"))
struct SparkPeerTests {
    private func python(_ words: String...) async throws -> Program.Ending {
        try await Program.shell(
            "cd \"$0\" && exec \"$@\"", ["\(Repository.root)/Examples/spark", SparkPython.path] + words,
            environment: ["PIPECTL": try Program.path()])
    }

    @Test("Spark: the package agrees with the worker about jobs, answers, bad recordings and ledgers")
    func worker() async throws {
        let ending = try await python(
            "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/test_worker.py", "tests/test_ledger.py")
        #expect(ending.code == 0, "\(ending.results)")
    }

    @Test("Spark: a table of recordings becomes a table of the same results as those of runs")
    func recognize() async throws {
        let ending = try await python("-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/test_recognize.py")
        #expect(ending.code == 0, "\(ending.results)")
    }
}

private enum SparkPython {
    static let path = "\(Repository.root)/.venv/bin/python"

    /// Whether it has the modules that the package imports, and Java.
    static let isThere: Bool = {
        let probe = Process()
        probe.executableURL = URL(fileURLWithPath: "/bin/bash")
        let modules = "import pyspark, pyarrow, numpy, pandas, pytest"
        probe.arguments = ["-c", "command -v java >/dev/null && exec \"$0\" -c \"$1\"", path, modules]
        (probe.standardOutput, probe.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
        guard (try? probe.run()) != nil else { return false }
        probe.waitUntilExit()
        return probe.terminationStatus == 0
    }()
}
