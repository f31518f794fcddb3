/** One call of an admission plugin, or one whole pass. */
export interface AdmissionMeasure {
  /** Absent: the whole pass. */
  readonly plugin?: string;
  readonly type: 'admit' | 'validate';
  readonly operation: string;
  readonly rejected: boolean;
  readonly seconds: number;
}

/** One call of the store. */
export interface StoreMeasure {
  readonly operation: 'create' | 'update' | 'delete' | 'get';
  readonly group: string;
  readonly resource: string;
  readonly failed: boolean;
  readonly seconds: number;
}

/** Who keeps score of how long parts of the server take. */
export interface Measures {
  /** Seconds since some moment; only differences mean something. */
  now(): number;
  admission(measure: AdmissionMeasure): void;
  store(measure: StoreMeasure): void;
}
