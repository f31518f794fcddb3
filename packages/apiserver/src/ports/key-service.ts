/** A key that is sealed by a key service: what rests beside the data that it seals. */
export interface SealedKey {
  readonly ciphertext: Uint8Array;
  readonly keyId: string;
  /** What the service wants to see again; by fully qualified names. */
  readonly annotations: ReadonlyMap<string, Uint8Array>;
}

/** Somebody who keeps the keys that other keys are sealed with (KMS v2). Calls reject when there is no answer in time, with gRPC's number as `code` where there is one. */
export interface KeyService {
  status(): Promise<{ readonly version: string; readonly healthz: string; readonly keyId: string }>;
  encrypt(uid: string, plaintext: Uint8Array): Promise<SealedKey>;
  decrypt(uid: string, sealed: SealedKey): Promise<Uint8Array>;
}

/** How a configuration names one. */
export interface KeyServiceSettings {
  /** A word without a colon; of one configuration each once. */
  readonly name: string;
  /** `unix:///run/kms.sock`. */
  readonly endpoint: string;
  readonly timeoutMs: number;
}
