import type { Clock } from './clock.ts';
import { messageOf } from './error.ts';

/** Facts of a log line, by name; undefined ones are left out. */
export interface LogFields {
  readonly [key: string]: unknown;
}

/** How much is told: of all loggers that were named from one. It may change while they are in use. */
export interface LogLevel {
  /** klog's `-v`. */
  verbosity: number;
}

/** klog's manner: levels 0–10 (`-v`), structured fields, one line per entry. Secrets are never handed to it. */
export interface Logger {
  /** Absent: it tells the same for good. */
  readonly level?: LogLevel;
  /** Whether `info(level, …)` would print; ask before making an expensive message. */
  enabled(level: number): boolean;
  info(level: number, message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(error: unknown, message: string, fields?: LogFields): void;
  /** The same logger under another component's name. */
  named(component: string): Logger;
}

/** What a logger needs of the world. */
export interface LoggerOptions {
  readonly component: string;
  /** The `-v` of the component; see `Logger.level`. */
  readonly verbosity: number;
  readonly clock: Clock;
  /** Takes one finished line, newline included. */
  readonly write: (line: string) => void;
  readonly pid?: number;
}

/** A logger that writes lines in klog's format: `I1120 08:09:10.123000 PID COMPONENT] "message" key="value"`. */
export function createLogger(options: LoggerOptions): Logger {
  return loggerAt({ verbosity: options.verbosity }, options);
}

function loggerAt(shared: LogLevel, options: LoggerOptions): Logger {
  const emit = (severity: string, message: string, fields: LogFields | undefined): void => {
    options.write(
      `${severity}${stamp(options.clock.now())} ${String(options.pid ?? 1).padStart(7)} ${options.component}] ${JSON.stringify(message)}${render(fields)}\n`,
    );
  };
  return {
    level: shared,
    enabled: (level) => level <= shared.verbosity,
    info(level, message, fields) {
      if (level <= shared.verbosity) emit('I', message, fields);
    },
    warn: (message, fields) => emit('W', message, fields),
    error(error, message, fields) {
      emit('E', message, { err: error, ...fields });
    },
    named: (component) => loggerAt(shared, { ...options, component }),
  };
}

/** Says nothing. */
export const silentLogger: Logger = {
  enabled: () => false,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  named: () => silentLogger,
};

function stamp(ms: number): string {
  const iso = new Date(ms).toISOString();
  return `${iso.slice(5, 7)}${iso.slice(8, 10)} ${iso.slice(11, 23)}000`;
}

function render(fields: LogFields | undefined): string {
  let out = '';
  for (const [key, value] of Object.entries(fields ?? {})) {
    if (value === undefined) continue;
    out += ` ${key}=${renderValue(value)}`;
  }
  return out;
}

function renderValue(value: unknown): string {
  if (value instanceof Error) {
    const cause = value.cause === undefined ? '' : `: ${messageOf(value.cause)}`;
    return JSON.stringify(`${value.message}${cause}`);
  }
  return JSON.stringify(value) ?? 'null';
}
