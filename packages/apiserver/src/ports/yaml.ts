/** What a YAML text says. */
export interface YamlAsJson {
  /** UTF-8; integers of any length as they were written. */
  readonly json: Uint8Array;
  /** Repeated keys, as `YamlDocument` has them. */
  readonly problems: readonly string[];
}

/**
 * Turns YAML into JSON and back elsewhere than on the thread that serves everybody: both take some hundred nanoseconds
 * a byte. Throws DecodeError for a text that is no YAML, and StatusError: 413 for one that is too much, 429 where too
 * many wait.
 */
export interface YamlConverter {
  toJson(yaml: Uint8Array): Promise<YamlAsJson>;
  /** Keys in order, as all YAML of this server. */
  fromJson(json: Uint8Array): Promise<Uint8Array>;
}
