export { createMemoryApi } from './testing/memory-api.ts';
export type { MemoryApi } from './testing/memory-api.ts';
