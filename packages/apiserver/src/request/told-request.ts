import type { RequestInfo } from './info.ts';

/** In place of what is nobody's affair. */
export const MASKED = '<masked>';

/** Parameters by whose value somebody may pass for somebody else. */
const SECRET_NAME =
  /token|secret|passw|passphrase|pwd|credential|signature|(?:api|access|private)[-_.]?key|session|auth|jwt|cookie|^(?:sig|code|key)$/i;
/** Queries without any of this have no such parameter; names may be written in escapes. */
const SUSPECT = /%|token|secret|pass|pwd|credential|sig|key|session|auth|jwt|cookie|code/i;
/** Of a step behind a proxy the name is told, not what programs append to it. */
const APPENDED = /[;?=&#%@:].*$/s;
/** Steps so long are no names that a program gives its pages: somebody's key stands there. */
const STEP_MAX = 20;
/** `/api/v1/nodes/NAME/proxy`: no step before this is one behind a proxy. */
const PROXY_AT_MIN = 5;

/**
 * The path of a request as the trace keeps it. What a program behind `proxy` is asked is its own affair: of its path the
 * short plain names are told.
 */
export function toldPath({
  path,
  subresource,
  isResource,
}: Pick<RequestInfo, 'path' | 'subresource' | 'isResource'>): string {
  if (subresource !== 'proxy' && (isResource || !path.includes('/proxy/'))) return path;
  const steps = path.split('/');
  const at = steps.indexOf('proxy', isResource ? PROXY_AT_MIN : 0);
  const behind = steps.slice(at + 1).map((step) => {
    const name = step.replace(APPENDED, '');
    return name.length < STEP_MAX ? name : MASKED;
  });
  return [...steps.slice(0, at + 1), ...behind].join('/');
}

/**
 * The query of a request as the trace keeps it: nothing of what is asked behind a proxy, no command of a container, no
 * value of a parameter that is known to be secret. `text`: as it came, without its mark.
 */
export function toldQuery({ subresource, path }: Pick<RequestInfo, 'subresource' | 'path'>, text: string): string {
  if (text === '') return '';
  if (subresource === 'proxy' || path.includes('/proxy/')) return '';
  const runs = subresource === 'exec' || subresource === 'attach';
  if (!runs && !SUSPECT.test(text)) return text;
  let isMasked = false;
  const told = [...new URLSearchParams(text)].map(([name, value]): [string, string] => {
    if (!SECRET_NAME.test(name) && !(runs && name === 'command')) return [name, value];
    isMasked = true;
    return [name, MASKED];
  });
  return isMasked ? new URLSearchParams(told).toString() : text;
}
