import Pipeline
import PipelineComponents

/// The message shape of a well-known sender: a set of `decode` options that apply where a configuration does not set them.
public enum DecodePreset: String, OptionChoice {
    /// The canonical messages of this project.
    case canonical
    /// The result objects of MediaPipe's packages for Python and for the web.
    case mediapipe
    /// Gaze and pupil data of Pupil Core.
    case pupil
    /// The output of OpenPose with `--write_json`.
    case openpose
    /// The 63 coordinates of a hand in one list.
    case flat63
}
