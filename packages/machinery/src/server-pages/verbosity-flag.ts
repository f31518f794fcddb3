import type { LogLevel } from '@binnacle/base';

/** Where servers of the system let their log level be changed; below `/debug/flags` the flags that can be. */
export const VERBOSITY_PATH = '/debug/flags/v';

/** What a request to change a flag is answered, as `text/plain`. */
export interface FlagAnswer {
  readonly code: number;
  /** A whole line. */
  readonly text: string;
}

const VALUE_MAX = 2 ** 31 - 1;
const UNSIGNED_MAX = 2 ** 32 - 1;
/** Of what somebody sent, in the answer. */
const SHOWN_MAX = 80;

/** `PUT` of a number: from now on that is the level. Upstream's answers, to what is no such number (400) and to other methods (406) too. */
export async function changeVerbosity(
  level: LogLevel,
  { method, text }: { readonly method: string; readonly text: () => Promise<string> },
): Promise<FlagAnswer> {
  if (method !== 'PUT') return line(406, 'unsupported http method');
  const value = await text();
  const problem = problemOf(value);
  if (problem !== '') return line(400, problem);
  level.verbosity = Number(value);
  return line(200, `successfully set klog.logging.verbosity to ${value.slice(0, SHOWN_MAX)}`);
}

/** Read twice, as upstream does: as a number of 32 bits without a sign, then as one with it. */
function problemOf(value: string): string {
  const shown = value.slice(0, SHOWN_MAX);
  const quoted = JSON.stringify(shown);
  if (!/^[0-9]+$/.test(value)) return `strconv.ParseUint: parsing ${quoted}: invalid syntax`;
  if (Number(value) > UNSIGNED_MAX) return `strconv.ParseUint: parsing ${quoted}: value out of range`;
  if (Number(value) <= VALUE_MAX) return '';
  return `failed set klog.logging.verbosity ${shown}: strconv.ParseInt: parsing ${quoted}: value out of range`;
}

/** What is found at `/debug/flags` itself: which flags can be changed. */
export const FLAGS_PAGE = `<!doctype html>
<title>/debug/flags/</title>
<p>Flags that can be changed while the program runs, by PUT of the value:
<ul><li>v</ul>
`;

function line(code: number, text: string): FlagAnswer {
  return { code, text: `${text}\n` };
}
