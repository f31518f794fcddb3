import type { ApiRequest } from './api-request.ts';

/** What was asked for, with its query; repeated parameters all stand there. */
export function uriOf({ path, query }: ApiRequest): string {
  if (query.isEmpty) return path;
  const pairs = query.entries().flatMap(([name]) => query.all(name).map((value): [string, string] => [name, value]));
  const text = new URLSearchParams(pairs).toString();
  return text === '' ? path : `${path}?${text}`;
}

/** The query as it came, without its mark; of one that did not come as text, a text that says the same. */
export function queryTextOf({ queryText, query }: Pick<ApiRequest, 'query' | 'queryText'>): string {
  if (queryText !== undefined) return queryText;
  const entries = query.isEmpty ? [] : query.entries();
  return entries.length === 0 ? '' : new URLSearchParams(entries).toString();
}
