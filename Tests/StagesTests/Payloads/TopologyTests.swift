import Pipeline
import Testing

@testable import Stages

@Suite("Topologies")
struct TopologyTests {
    @Test(
        "Topologies: MediaPipe's and Vision's names denote the same points, with MediaPipe's numbers",
        arguments: [
            (0, "wrist", "WRIST"), (1, "thumbCMC", "THUMB_CMC"), (2, "thumbMP", "THUMB_MCP"),
            (3, "thumbIP", "THUMB_IP"), (4, "thumbTip", "THUMB_TIP"), (5, "indexMCP", "INDEX_FINGER_MCP"),
            (8, "indexTip", "INDEX_FINGER_TIP"), (10, "middlePIP", "MIDDLE_FINGER_PIP"),
            (15, "ringDIP", "RING_FINGER_DIP"), (17, "littleMCP", "PINKY_MCP"), (20, "littleTip", "PINKY_TIP"),
        ])
    func handNames(number: Int, vision: String, mediaPipe: String) {
        #expect(Topology.hand21.place(of: vision) == number)
        #expect(Topology.hand21.place(of: mediaPipe) == number)
        #expect(Topology.hand21.place(of: String(number)) == number)
    }

    @Test(
        "Topologies: Vision's groups have the joints of their fingers",
        arguments: [
            ("thumb", [1, 2, 3, 4]), ("indexFinger", [5, 6, 7, 8]), ("littleFinger", [17, 18, 19, 20]), ("wrist", [0]),
            ("all", Array(0...20)),
        ])
    func handGroups(name: String, places: [Int]) {
        #expect(Topology.hand21.places(of: name) == places)
    }

    @Test(
        "Topologies: standard topologies have as many points as their names say",
        arguments: [("hand21", 21), ("pose33", 33), ("pose17", 17), ("face478", 478)])
    func counts(name: String, count: Int) throws {
        let topology = try Topology(identifier: name)
        #expect(topology.points.count == count)
        #expect(Set(topology.points).count == count)
        #expect(topology.groups.allSatisfy { $0.indices.allSatisfy { (0..<count).contains($0) } })
    }

    @Test(
        "Topologies: pose landmarks have MediaPipe's numbers",
        arguments: [
            ("NOSE", 0), ("LEFT_EYE_INNER", 1), ("MOUTH_RIGHT", 10), ("leftShoulder", 11), ("RIGHT_WRIST", 16),
            ("LEFT_HIP", 23), ("RIGHT_FOOT_INDEX", 32),
        ])
    func pose(name: String, number: Int) { #expect(Topology.pose33.place(of: name) == number) }

    @Test("Topologies: a custom topology lists its points, and is read back from its identifier")
    func declared() throws {
        let tool = try Topology(identifier: "tool(tip, middle, end)")
        #expect(tool.identifier == "tool(tip,middle,end)")
        #expect(tool.points == ["tip", "middle", "end"])
        #expect(tool.places(of: "all") == [0, 1, 2])
        #expect(try Topology(identifier: tool.identifier) == tool)
    }

    @Test("Topologies: a part keeps the names of its points and the remaining points of groups")
    func part() throws {
        let part = try Topology(identifier: "hand21(thumbTip,wrist,INDEX_FINGER_TIP)")
        #expect(part.identifier == "hand21(thumbTip,wrist,indexTip)")
        #expect(part.place(of: "THUMB_TIP") == 0)
        #expect(part.places(of: "indexFinger") == [2])
        #expect(part.places(of: "ringFinger") == nil)
        #expect(Topology.hand21.part([4, 0, 8]) == part)
        #expect(Topology.hand21.part(Array(0...20)) == .hand21)
    }

    @Test("Topologies: the points of a face are named by their numbers, also in a part")
    func face() {
        let part = Topology.face478.part([17, 0, 61])
        #expect(part.identifier == "face478(17,0,61)")
        #expect(part.place(of: "0") == 1)
        #expect(part.place(of: "1") == nil)
    }

    @Test(
        "Topologies: invalid identifiers are refused, with a code for what is wrong",
        arguments: [
            ("hand22", "topology.unknown"), ("", "topology.unknown"), ("tool(", "topology.points"),
            ("(a)", "topology.points"), ("tool()", "topology.points"), ("tool(a,,b)", "topology.points"),
            ("tool(a,a)", "topology.points"), ("tool(a(b))", "topology.points"),
            ("hand21(wrist,nose)", "topology.points"),
        ])
    func refused(identifier: String, code: String) {
        #expect { try Topology(identifier: identifier) } throws: { ($0 as? PipelineError)?.code == code }
    }
}
