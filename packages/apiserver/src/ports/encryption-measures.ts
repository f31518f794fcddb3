/** `to_storage`: sealed; `from_storage`: opened. */
export type TransformDirection = 'to_storage' | 'from_storage';

/** How one value was sealed or opened. */
export interface Transformation {
  /** `secrets`, `deployments.apps`. */
  readonly resource: string;
  /** What upstream calls the steps: a provider by its prefix, and the key of it that was used. */
  readonly steps: readonly string[];
  readonly seconds: number;
  /** Absent: it went well. */
  readonly error?: unknown;
}

/** Who keeps score of values that rest sealed. */
export interface TransformMeasures {
  /** Seconds since some moment; only differences mean something. */
  now(): number;
  transformed(direction: TransformDirection, what: Transformation): void;
}

/** Who keeps score of key services, and of the keys that they keep; `provider`: the service's name. */
export interface KeyMeasures {
  /** Seconds since some moment; only differences mean something. */
  now(): number;
  /** A value was sealed or opened with a key. */
  keyUsed(direction: TransformDirection, provider: string, keyId: string): void;
  /** The service named its key. */
  keyTold(provider: string, keyId: string): void;
  /** It named one that is none. */
  badKeyTold(provider: string, why: 'empty' | 'too_long'): void;
  /** A seed was made. */
  seedMade(seconds: number): void;
  /** The service was asked because what it sealed was not remembered. */
  notRemembered(): void;
  /** So much is remembered. */
  remembered(provider: string, count: number): void;
  /** It was called: `Status`, `Encrypt`, `Decrypt`. */
  serviceCalled(provider: string, method: string, ended: { readonly seconds: number; readonly error?: unknown }): void;
}

/** Nobody keeps score. */
export const UNSCORED: TransformMeasures & KeyMeasures = {
  now: () => 0,
  ...{ transformed() {}, keyUsed() {}, keyTold() {}, badKeyTold() {}, seedMade() {} },
  ...{ notRemembered() {}, remembered() {}, serviceCalled() {} },
};
