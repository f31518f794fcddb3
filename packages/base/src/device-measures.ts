/** How a pod's wait for devices ended that somebody makes ready for its node before it is bound. */
export interface DeviceWait {
  /** The `schedulerName`. */
  readonly profile: string;
  /** `failure`: a device will not be ready; `timeout`: it was not in time; `error`: anything else. */
  readonly status: 'success' | 'failure' | 'timeout' | 'error';
  readonly seconds: number;
  /** Every device of the pod's claims; `awaited`: it had to be made ready. */
  readonly devices: readonly { readonly driver: string; readonly awaited: boolean }[];
}

/** Who keeps score of such waits. */
export interface DeviceMeasures {
  ended(wait: DeviceWait): void;
}
