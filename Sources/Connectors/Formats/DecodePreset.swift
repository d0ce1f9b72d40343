import Pipeline
import PipelineComponents

/// The shapes of well-known senders by name. Each is nothing but a set of options of `decode`, which it fills in where a
/// configuration says nothing else.
public enum DecodePreset: String, OptionChoice {
    /// Our own.
    case canonical
    /// The result objects of MediaPipe, as its packages for Python and for the web give them.
    case mediapipe
    /// Gaze and pupil data of Pupil Core.
    case pupil
    /// What OpenPose writes with `--write_json`.
    case openpose
    /// The 63 coordinates of a hand in one list.
    case flat63
}
