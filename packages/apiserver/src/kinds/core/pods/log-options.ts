import { field, readTime, status } from '@binnacle/machinery';
import type { FieldError } from '@binnacle/machinery';
import type { Query } from '../../../request/query.ts';

/** `PodLogOptions`, as its query parameters say it. */
export interface LogOptions {
  readonly container: string;
  /** What the kubelet is asked, in the order in which Go encodes a query. */
  readonly forKubelet: string;
  readonly insecure: boolean;
}

/** Reads and checks the options. Throws 400 for what cannot be read and 422 for what makes no sense. */
export function readLogOptions(query: Query, podName: string): LogOptions {
  const numbers = {
    limitBytes: query.integer('limitBytes'),
    sinceSeconds: query.integer('sinceSeconds'),
    tailLines: query.integer('tailLines'),
  };
  const sinceTime = readSince(query.get('sinceTime'));
  const errors = validate({ ...numbers, sinceTime, stream: query.get('stream') });
  if (errors.length > 0) throw status.invalid({ group: '', kind: 'PodLogOptions' }, podName, errors);
  const parameters = new URLSearchParams();
  for (const name of ['follow', 'previous', 'timestamps']) if (query.bool(name)) parameters.set(name, 'true');
  for (const [name, value] of Object.entries(numbers)) if (value !== undefined) parameters.set(name, String(value));
  if (sinceTime !== undefined) parameters.set('sinceTime', sinceTime);
  parameters.sort();
  return {
    container: query.get('container'),
    forKubelet: parameters.toString(),
    insecure: query.bool('insecureSkipTLSVerifyBackend'),
  };
}

/** A time is passed on with seconds only, as upstream does. */
function readSince(text: string): string | undefined {
  if (text === '') return undefined;
  const time = readTime(text);
  if (time !== undefined) return `${time.seconds}Z`;
  const quoted = JSON.stringify(text);
  throw status.badRequest(`parsing time ${quoted} as "2006-01-02T15:04:05Z07:00": cannot parse ${quoted} as "2006"`);
}

function validate(options: {
  readonly limitBytes: number | undefined;
  readonly sinceSeconds: number | undefined;
  readonly sinceTime: string | undefined;
  readonly tailLines: number | undefined;
  readonly stream: string;
}): FieldError[] {
  const { limitBytes, sinceSeconds, sinceTime, tailLines, stream } = options;
  const errors: FieldError[] = [];
  if (tailLines !== undefined && tailLines < 0)
    errors.push(field.invalid('tailLines', tailLines, 'must be greater than or equal to 0'));
  if (limitBytes !== undefined && limitBytes < 1)
    errors.push(field.invalid('limitBytes', limitBytes, 'must be greater than 0'));
  if (sinceSeconds !== undefined && sinceTime !== undefined)
    errors.push(field.forbidden('', 'at most one of `sinceTime` or `sinceSeconds` may be specified'));
  else if (sinceSeconds !== undefined && sinceSeconds < 1)
    errors.push(field.invalid('sinceSeconds', sinceSeconds, 'must be greater than 0'));
  // Choosing one stream is alpha upstream (PodLogsQuerySplitStreams), and off.
  if (stream !== '') errors.push(field.forbidden('stream', 'may not be specified'));
  return errors;
}
