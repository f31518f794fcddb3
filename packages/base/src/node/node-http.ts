import type * as Http from 'node:http';

/**
 * Node's `http`. Not by import, which reads every export of the module: one of them loads a second HTTP client,
 * 17 ms and 10 MB in a process that does nothing else (tools/tidy forbids it).
 */
export function nodeHttp(): typeof Http {
  return process.getBuiltinModule('node:http');
}
