/** Keeps score of one admission plugin, or of whole passes. */
export interface AdmissionMeter {
  took(operation: string, rejected: boolean, seconds: number): void;
}

/** Keeps score of the store's calls for one resource. */
export interface StoreMeter {
  took(operation: 'create' | 'update' | 'delete' | 'get', failed: boolean, seconds: number): void;
}

/** Who keeps score of how long parts of the server take. Meters are asked for once, and used for each call. */
export interface Measures {
  /** Seconds since some moment; only differences mean something. */
  now(): number;
  /** `plugin` absent: of the whole pass. */
  admissionMeter(type: 'admit' | 'validate', plugin?: string): AdmissionMeter;
  storeMeter(group: string, resource: string): StoreMeter;
}
