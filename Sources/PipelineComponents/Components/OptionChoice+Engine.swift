import Pipeline

// The policies of the engine, as configurations name them.

extension Mode: OptionChoice {}
extension ErrorPolicy: OptionChoice {}
extension LatePolicy: OptionChoice {}
extension DisorderPolicy: OptionChoice {}
extension EdgePolicy.OnFull: OptionChoice {}
extension Alignment.Rule: OptionChoice {}
extension Alignment.Pairing: OptionChoice {}
