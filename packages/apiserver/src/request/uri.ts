import type { ApiRequest } from './api-request.ts';

/** What was asked for, with its query; repeated parameters all stand there. */
export function uriOf({ path, query }: ApiRequest): string {
  if (query.isEmpty) return path;
  const pairs = query.entries().flatMap(([name]) => query.all(name).map((value): [string, string] => [name, value]));
  const text = new URLSearchParams(pairs).toString();
  return text === '' ? path : `${path}?${text}`;
}
