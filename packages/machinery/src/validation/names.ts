/**
 * The shapes of names, with upstream's words for what is wrong. Each function answers with the messages;
 * none means valid.
 */

const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`;
const WILDCARD = `\\*\\.${SUBDOMAIN}`;
const SEARCH_LABEL = '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?';
const SEARCH_DOMAIN = `${SEARCH_LABEL}(\\.${SEARCH_LABEL})*`;
const LABEL_1035 = '[a-z]([-a-z0-9]*[a-z0-9])?';
const QUALIFIED = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const LABEL_VALUE = `(${QUALIFIED})?`;
const CONFIG_KEY = '[-._a-zA-Z0-9]+';
const C_IDENTIFIER = '[A-Za-z_][A-Za-z0-9_]*';
const ENV_NAME = '[-._a-zA-Z][-._a-zA-Z0-9]*';
const PERCENT = '[0-9]+%';
const HTTP_HEADER = '[-A-Za-z0-9]+';

function whole(pattern: string): RegExp {
  return new RegExp(`^(?:${pattern})$`);
}

const SHAPES = {
  label: whole(LABEL),
  subdomain: whole(SUBDOMAIN),
  wildcard: whole(WILDCARD),
  searchDomain: whole(SEARCH_DOMAIN),
  label1035: whole(LABEL_1035),
  qualified: whole(QUALIFIED),
  labelValue: whole(LABEL_VALUE),
  configKey: whole(CONFIG_KEY),
  cIdentifier: whole(C_IDENTIFIER),
  percent: whole(PERCENT),
  httpHeader: whole(HTTP_HEADER),
} as const;

/** `message (e.g. 'a',  or 'b', regex used for validation is '…')`, with upstream's two spaces. */
function regexError(message: string, pattern: string, ...examples: string[]): string {
  if (examples.length === 0) return `${message} (regex used for validation is '${pattern}')`;
  const shown = examples.map((example) => `'${example}', `).join(' or ');
  return `${message} (e.g. ${shown}regex used for validation is '${pattern}')`;
}

/** `must be no more than 63 bytes` */
export function maxLengthError(length: number): string {
  return `must be no more than ${length} bytes`;
}

/** Bytes of a text as UTF-8, which is what upstream counts. */
export function byteLength(text: string): number {
  let length = text.length;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code > 0x7ff) length += code >= 0xd800 && code <= 0xdfff ? 1 : 2;
    else if (code > 0x7f) length++;
  }
  return length;
}

const SUBDOMAIN_ERROR =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character";
const SEARCH_DOMAIN_ERROR =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character";
const WILDCARD_ERROR =
  "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character";
const LABEL_ERROR =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character";
const LABEL_1035_ERROR =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character";
const QUALIFIED_ERROR =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
const LABEL_VALUE_ERROR =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";

/** Names of most objects. */
export function subdomainErrors(value: string): string[] {
  const errors = value.length > 253 ? [maxLengthError(253)] : [];
  if (!SHAPES.subdomain.test(value)) errors.push(regexError(SUBDOMAIN_ERROR, SUBDOMAIN, 'example.com'));
  return errors;
}

/** Names to search in DNS: labels may have underscores, as the names of SRV records do. */
export function searchDomainErrors(value: string): string[] {
  const errors = value.length > 253 ? [maxLengthError(253)] : [];
  if (!SHAPES.searchDomain.test(value)) errors.push(regexError(SEARCH_DOMAIN_ERROR, SEARCH_DOMAIN, 'example.com'));
  return errors;
}

/** Hosts with a star for their first label: `*.example.com`. */
export function wildcardSubdomainErrors(value: string): string[] {
  const errors = value.length > 253 ? [maxLengthError(253)] : [];
  if (!SHAPES.wildcard.test(value)) errors.push(regexError(WILDCARD_ERROR, WILDCARD, '*.example.com'));
  return errors;
}

/** Names of namespaces, containers, volumes. */
export function dnsLabelErrors(value: string): string[] {
  const errors = value.length > 63 ? [maxLengthError(63)] : [];
  if (SHAPES.label.test(value)) return errors;
  if (SHAPES.subdomain.test(value)) errors.push('must not contain dots');
  else errors.push(regexError(LABEL_ERROR, LABEL, 'my-name', '123-abc'));
  return errors;
}

/** Names of services until they may start with a digit. */
export function dns1035LabelErrors(value: string): string[] {
  const errors = value.length > 63 ? [maxLengthError(63)] : [];
  if (!SHAPES.label1035.test(value)) errors.push(regexError(LABEL_1035_ERROR, LABEL_1035, 'my-name', 'abc-123'));
  return errors;
}

/** `name` or `prefix/name`: keys of labels and annotations, finalizers, resources. */
export function qualifiedNameErrors(value: string): string[] {
  return isQualifiedName(value) ? [] : qualifiedNameMistakes(value);
}

/** Nothing is made for a right name: each object has a dozen of them. */
function isQualifiedName(value: string): boolean {
  const slash = value.indexOf('/');
  if (slash === -1) return value.length <= 63 && SHAPES.qualified.test(value);
  if (slash > 253 || value.length - slash > 64) return false;
  return SHAPES.qualified.test(value.slice(slash + 1)) && SHAPES.subdomain.test(value.slice(0, slash));
}

function qualifiedNameMistakes(value: string): string[] {
  const errors: string[] = [];
  const slash = value.indexOf('/');
  const name = value.slice(slash + 1);
  if (slash !== -1 && name.includes('/')) {
    const shape = regexError(QUALIFIED_ERROR, QUALIFIED, 'MyName', 'my.name', '123-abc');
    return [`a qualified name ${shape} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  }
  if (slash !== -1) {
    const prefix = value.slice(0, slash);
    if (prefix === '') errors.push('prefix part must be non-empty');
    else errors.push(...subdomainErrors(prefix).map((e) => `prefix part ${e}`));
  }
  if (name === '') errors.push('name part must be non-empty');
  else if (name.length > 63) errors.push(`name part ${maxLengthError(63)}`);
  if (!SHAPES.qualified.test(name)) {
    errors.push(`name part ${regexError(QUALIFIED_ERROR, QUALIFIED, 'MyName', 'my.name', '123-abc')}`);
  }
  return errors;
}

export function labelKeyErrors(key: string): string[] {
  return qualifiedNameErrors(key);
}

export function labelValueErrors(value: string): string[] {
  const errors = value.length > 63 ? [maxLengthError(63)] : [];
  if (!SHAPES.labelValue.test(value)) {
    errors.push(regexError(LABEL_VALUE_ERROR, LABEL_VALUE, 'MyValue', 'my_value', '12345'));
  }
  return errors;
}

/** A part of a path: names of RBAC objects. */
export function pathSegmentErrors(value: string): string[] {
  if (value === '.') return ["may not be '.'"];
  if (value === '..') return ["may not be '..'"];
  return ['/', '%'].filter((c) => value.includes(c)).map((c) => `may not contain '${c}'`);
}

/** Keys of ConfigMaps and Secrets. */
export function configKeyErrors(value: string): string[] {
  const errors = value.length > 253 ? [maxLengthError(253)] : [];
  if (!SHAPES.configKey.test(value)) {
    errors.push(
      regexError(
        "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
        CONFIG_KEY,
        'key.name',
        'KEY_NAME',
        'key-name',
      ),
    );
  }
  return [...errors, ...noDotsErrors(value)];
}

function noDotsErrors(value: string): string[] {
  if (value === '.') return ["must not be '.'"];
  if (value === '..') return ["must not be '..'"];
  return value.startsWith('..') ? ["must not start with '..'"] : [];
}

/** Names of environment variables, as v1.36 allows them: printable ASCII but `=`. */
export function envVarNameErrors(value: string): string[] {
  if (value === '') return ['environment variable name must be non-empty'];
  return /^[\x20-\x3c\x3e-\x7e]+$/.test(value)
    ? []
    : ["a valid environment variable name must consist only of printable ASCII characters other than '='"];
}

/** The older, narrower shape of environment variables' names. */
export function strictEnvVarNameErrors(value: string): string[] {
  const errors = new RegExp(`^(?:${ENV_NAME})$`).test(value)
    ? []
    : [
        regexError(
          "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not start with a digit",
          ENV_NAME,
          'my.env-name',
          'MY_ENV.NAME',
          'MyEnvName1',
        ),
      ];
  return [...errors, ...noDotsErrors(value)];
}

export function cIdentifierErrors(value: string): string[] {
  return SHAPES.cIdentifier.test(value)
    ? []
    : [
        regexError(
          "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_'",
          C_IDENTIFIER,
          'my_name',
          'MY_NAME',
          'MyName',
        ),
      ];
}

/** Names of ports. */
export function portNameErrors(value: string): string[] {
  const errors: string[] = [];
  if (value.length > 15) errors.push(maxLengthError(15));
  if (!/^[-a-z0-9]+$/.test(value))
    errors.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)');
  if (!/[a-z]/.test(value)) errors.push('must contain at least one letter (a-z)');
  if (value.includes('--')) errors.push('must not contain consecutive hyphens');
  if (value.startsWith('-') || value.endsWith('-')) errors.push('must not begin or end with a hyphen');
  return errors;
}

export function portNumberErrors(value: number): string[] {
  return value >= 1 && value <= 65535 ? [] : [inclusiveRangeError(1, 65535)];
}

/** `must be between 1 and 65535, inclusive` */
export function inclusiveRangeError(low: number, high: number): string {
  return `must be between ${low} and ${high}, inclusive`;
}

export function httpHeaderNameErrors(value: string): string[] {
  return SHAPES.httpHeader.test(value)
    ? []
    : [regexError("a valid HTTP header must consist of alphanumeric characters or '-'", HTTP_HEADER, 'X-Header-Name')];
}

export function percentErrors(value: string): string[] {
  return SHAPES.percent.test(value)
    ? []
    : [regexError("a valid percent string must be a numeric string followed by an ending '%'", PERCENT, '1%', '93%')];
}
