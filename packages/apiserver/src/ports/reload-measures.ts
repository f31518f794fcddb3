/** Configurations that a running server follows in their files. */
export type FollowedConfig = 'authentication' | 'authorization' | 'encryption';

/** Who keeps score of one of them. */
export interface ReloadMeasures {
  /** This text counts, since the start. */
  applied(text: string): void;
  /** It was read anew, and this text counts from now on. */
  succeeded(text: string): void;
  /** What is in the file now cannot be followed. */
  failed(): void;
}
