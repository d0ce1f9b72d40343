/// A file of the web page, embedded in the program.
struct PageFile {
    /// The name in the folder `Page`, which is also the path of the URL.
    let name: String
    let type: String
    let bytes: [UInt8]

    /// All files of the page. A test compares this list with the folder `Page`.
    static let all = [
        PageFile("index.html", PackageResources.index_html),
        PageFile("app.js", PackageResources.app_js),
        PageFile("dom.js", PackageResources.dom_js),
        PageFile("draw.js", PackageResources.draw_js),
        PageFile("format.js", PackageResources.format_js),
        PageFile("graph.css", PackageResources.graph_css),
        PageFile("graph.js", PackageResources.graph_js),
        PageFile("help.js", PackageResources.help_js),
        PageFile("icon.svg", PackageResources.icon_svg),
        PageFile("inspector.js", PackageResources.inspector_js),
        PageFile("layout.css", PackageResources.layout_css),
        PageFile("layout.js", PackageResources.layout_js),
        PageFile("losses.js", PackageResources.losses_js),
        PageFile("overview.js", PackageResources.overview_js),
        PageFile("panel.css", PackageResources.panel_css),
        PageFile("picture.js", PackageResources.picture_js),
        PageFile("player.js", PackageResources.player_js),
        PageFile("points.js", PackageResources.points_js),
        PageFile("ranking.js", PackageResources.ranking_js),
        PageFile("sheet.js", PackageResources.sheet_js),
        PageFile("skeleton.js", PackageResources.skeleton_js),
        PageFile("source.js", PackageResources.source_js),
        PageFile("store.js", PackageResources.store_js),
        PageFile("theme.css", PackageResources.theme_css),
        PageFile("timeline.js", PackageResources.timeline_js),
        PageFile("why.js", PackageResources.why_js),
    ]

    private init(_ name: String, _ bytes: [UInt8]) {
        (self.name, self.bytes) = (name, bytes)
        type =
            switch name.split(separator: ".").last {
            case "html": "text/html; charset=utf-8"
            case "css": "text/css; charset=utf-8"
            case "js": "text/javascript; charset=utf-8"
            case "svg": "image/svg+xml"
            default: "application/octet-stream"
            }
    }

    /// Returns the file at a path; `/` is the page itself.
    static func at(_ path: String) -> PageFile? {
        let name = path == "/" ? "index.html" : String(path.dropFirst())
        return all.first { $0.name == name }
    }

    var response: WebResponse { WebResponse(type: type, bytes) }
}
