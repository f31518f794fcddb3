import { LogError } from '../errors.ts';

/** What of a log is wanted, as `PodLogOptions` has it. */
export interface LogOptions {
  readonly follow: boolean;
  readonly previous: boolean;
  readonly timestamps: boolean;
  /** Milliseconds since the epoch; nothing older. */
  readonly since?: number;
  readonly tailLines?: number;
  readonly limitBytes?: number;
  readonly stream: 'All' | 'Stdout' | 'Stderr';
}

/** Reads the query of a request for logs. Throws LogError (400) for what makes no sense. */
export function parseLogOptions(query: ReadonlyMap<string, string>, now: number): LogOptions {
  const sinceSeconds = positive(query, 'sinceSeconds', 1);
  const sinceTime = query.get('sinceTime');
  if (sinceSeconds !== undefined && sinceTime)
    throw invalid('at most one of `sinceTime` or `sinceSeconds` may be specified');
  const since = sinceSeconds !== undefined ? now - sinceSeconds * 1000 : sinceTime ? Date.parse(sinceTime) : undefined;
  if (since !== undefined && Number.isNaN(since)) throw invalid(`sinceTime: Invalid value: "${sinceTime ?? ''}"`);
  const tailLines = positive(query, 'tailLines', 0) ?? positive(query, 'tail', 0);
  const limitBytes = positive(query, 'limitBytes', 1);
  const stream = query.get('stream') ?? 'All';
  if (stream !== 'All' && stream !== 'Stdout' && stream !== 'Stderr')
    throw invalid(`stream: Unsupported value: "${stream}"`);
  return {
    follow: flag(query.get('follow')),
    previous: flag(query.get('previous')),
    timestamps: flag(query.get('timestamps')),
    ...(since === undefined ? {} : { since }),
    ...(tailLines === undefined ? {} : { tailLines }),
    ...(limitBytes === undefined ? {} : { limitBytes }),
    stream,
  };
}

function positive(query: ReadonlyMap<string, string>, name: string, least: number): number | undefined {
  const text = query.get(name);
  if (text === undefined || text === '' || text === 'all') return undefined;
  const value = Number(text);
  if (!Number.isInteger(value)) throw invalid(`${name}: Invalid value: "${text}": must be an integer`);
  if (value < least) throw invalid(`${name}: Invalid value: ${value}: must be greater than or equal to ${least}`);
  return value;
}

function flag(text: string | undefined): boolean {
  return text === 'true' || text === '1' || text === '';
}

function invalid(message: string): LogError {
  return new LogError(400, message);
}
