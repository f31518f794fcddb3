export {
  CompactedError,
  DamagedValueError,
  DuplicateKeyError,
  FutureRevisionError,
  LeaseExistsError,
  LeaseNotFoundError,
  RequestTooLargeError,
  StoreClosedError,
  StoreCutBackError,
  StoreFullError,
  StoreTimeoutError,
  StoreUnavailableError,
} from './errors.ts';
export { createMemoryStore } from './memory-store.ts';
export type { MemoryStoreOptions } from './memory-store.ts';
export type { EmbeddedStore } from './mvcc/embedded-store.ts';
export { prefixEnd } from './ports.ts';
export type {
  CallOptions,
  Compare,
  CompareResult,
  HealthAspect,
  Key,
  KeyValue,
  LeaseStatus,
  Operation,
  OperationResult,
  RangeRequest,
  RangeResult,
  Store,
  StoreEvent,
  StoreStatus,
  TxnRequest,
  TxnResult,
  WatchHandle,
  WatchRequest,
  WatchSink,
} from './ports.ts';
