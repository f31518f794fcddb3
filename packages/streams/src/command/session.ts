import type { ByteSink, ByteSource } from '@binnacle/base';

/** Columns and rows of a terminal. */
export interface TerminalSize {
  readonly width: number;
  readonly height: number;
}

/** What exec and attach ask for. */
export interface CommandStreams {
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
  readonly tty: boolean;
}

/** How a command ended. `failure`: it did not run, or nobody knows how it ended. */
export type CommandOutcome =
  | { readonly kind: 'success' }
  | { readonly kind: 'exit'; readonly exitCode: number; readonly message: string }
  | { readonly kind: 'failure'; readonly message: string };

/** A client of exec or attach, whatever it speaks. Streams that were not asked for are absent. */
export interface CommandSession {
  readonly stdin?: ByteSource;
  readonly stdout?: ByteSink;
  readonly stderr?: ByteSink;
  /** Sizes of the client's terminal, as they change; ends with the session. */
  readonly sizes: AsyncIterable<TerminalSize>;
  /** Tells how it ended, behind all output, and ends the session. */
  finish(outcome: CommandOutcome): Promise<void>;
  abort(error?: Error): void;
  /** Resolves when the client has gone, or the session has ended. */
  readonly closed: Promise<Error | undefined>;
}

/** The outcome as the metav1.Status that v4 and later carry. */
export function statusOfOutcome(outcome: CommandOutcome): object {
  switch (outcome.kind) {
    case 'success':
      return { metadata: {}, status: 'Success' };
    case 'exit':
      return {
        metadata: {},
        status: 'Failure',
        message: outcomeMessage(outcome),
        reason: 'NonZeroExitCode',
        details: { causes: [{ reason: 'ExitCode', message: String(outcome.exitCode) }] },
      };
    case 'failure':
      return {
        metadata: {},
        status: 'Failure',
        message: outcomeMessage(outcome),
        reason: 'InternalError',
        details: { causes: [{ message: outcome.message }] },
        code: 500,
      };
  }
}

function outcomeMessage(outcome: Exclude<CommandOutcome, { kind: 'success' }>): string {
  if (outcome.kind === 'exit') return `command terminated with non-zero exit code: ${outcome.message}`;
  return `Internal error occurred: ${outcome.message}`;
}

/** What is written at the end: a Status from v4 on; before, words about a failure and nothing about success. */
export function encodeOutcome(outcome: CommandOutcome, version: number): Uint8Array {
  const encoder = new TextEncoder();
  if (version >= 4) return encoder.encode(JSON.stringify(statusOfOutcome(outcome)));
  return outcome.kind === 'success' ? new Uint8Array(0) : encoder.encode(outcomeMessage(outcome));
}

/** The outcome that the other side wrote; empty: a success of a version before v4. */
export function decodeOutcome(text: string): CommandOutcome {
  if (text === '') return { kind: 'success' };
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    // Words, of a version before v4.
    return { kind: 'failure', message: text };
  }
  const status = parsed as {
    readonly status?: unknown;
    readonly message?: unknown;
    readonly reason?: unknown;
    readonly details?: { readonly causes?: readonly { readonly reason?: unknown; readonly message?: unknown }[] };
  } | null;
  if (status?.status === 'Success') return { kind: 'success' };
  const message = typeof status?.message === 'string' ? status.message : text;
  const causes = status?.details?.causes;
  const cause = Array.isArray(causes) ? causes.find((known) => known?.reason === 'ExitCode') : undefined;
  const exitCode = Number(cause?.message);
  if (status?.reason === 'NonZeroExitCode' && Number.isInteger(exitCode)) {
    return { kind: 'exit', exitCode, message: message.replace(/^command terminated with non-zero exit code: /, '') };
  }
  return { kind: 'failure', message: message.replace(/^Internal error occurred: /, '') };
}

/** So much of what came is read: a terminal has the size that it was told last. */
const SIZES_LENGTH_MAX = 4096;

/**
 * Sizes out of a stream of JSON (`{"Width":80,"Height":24}`). What is no size is passed over, and of very many at once
 * all but the last ones.
 */
export async function* readSizes(source: Pick<ByteSource, 'read'>): AsyncGenerator<TerminalSize> {
  const decoder = new TextDecoder();
  let text = '';
  for (let chunk = await source.read(); chunk !== undefined; chunk = await source.read()) {
    text = (text + decoder.decode(chunk, { stream: true })).slice(-SIZES_LENGTH_MAX);
    for (let end = text.indexOf('}'); end !== -1; end = text.indexOf('}')) {
      const size = parseSize(text.slice(0, end + 1));
      text = text.slice(end + 1);
      if (size !== undefined) yield size;
    }
    if (text.length === SIZES_LENGTH_MAX) text = '';
  }
}

/** Of what is no terminal. */
export async function* noSizes(): AsyncGenerator<TerminalSize> {
  // Nothing ever comes.
}

function parseSize(text: string): TerminalSize | undefined {
  try {
    const { Width, Height } = JSON.parse(text) as { readonly Width?: unknown; readonly Height?: unknown };
    const isSide = (side: unknown): side is number =>
      Number.isInteger(side) && Number(side) > 0 && Number(side) < 65_536;
    return isSide(Width) && isSide(Height) ? { width: Width, height: Height } : undefined;
  } catch {
    // A terminal keeps its size.
    return undefined;
  }
}

/** A size as it travels. */
export function encodeSize({ width, height }: TerminalSize): Uint8Array {
  return new TextEncoder().encode(`${JSON.stringify({ Width: width, Height: height })}\n`);
}
