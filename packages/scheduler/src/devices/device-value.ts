import { MapValue, quantityValue, versionValue } from '@binnacle/cel';
import type { Value } from '@binnacle/cel';
import type { Device, DeviceAttribute } from '@binnacle/api/resource/v1';
import { SelectorError } from './errors.ts';

/** What an expression sees of a device: `device.driver`, `device.attributes["domain"].name`, `device.capacity["domain"].name`. */
export function deviceValue(driver: string, device: Device): Value {
  const attributes = byDomain(driver, device.attributes ?? {}, attributeValue);
  const capacity = byDomain(driver, device.capacity ?? {}, (_name, { value }) => quantityValue(value));
  return new NamedValues(
    new Map<string, Value>([
      ['driver', driver],
      ['allowMultipleAllocations', device.allowMultipleAllocations === true],
      ['attributes', new NamedValues(attributes, EMPTY)],
      ['capacity', new NamedValues(capacity, EMPTY)],
    ]),
  );
}

/** Domain and name of an attribute; without a domain it is of the driver's. */
export function qualifiedName(name: string, driver: string): readonly [domain: string, id: string] {
  const slash = name.indexOf('/');
  return slash < 0 ? [driver, name] : [name.slice(0, slash), name.slice(slash + 1)];
}

/** Values by name; a domain that a device knows nothing of is empty, and no error. */
class NamedValues extends MapValue {
  readonly #values: ReadonlyMap<string, Value>;
  readonly #fallback: Value | undefined;

  constructor(values: ReadonlyMap<string, Value>, fallback?: Value) {
    super();
    this.#values = values;
    this.#fallback = fallback;
  }

  override get size(): number {
    return this.#values.size;
  }

  override get(key: Value): Value | undefined {
    return typeof key === 'string' ? (this.#values.get(key) ?? this.#fallback) : undefined;
  }

  override has(key: Value): boolean {
    return typeof key === 'string' && this.#values.has(key);
  }

  override keys(): Iterable<Value> {
    return this.#values.keys();
  }
}

const EMPTY = new NamedValues(new Map());

function byDomain<T>(
  driver: string,
  members: { readonly [name: string]: T },
  read: (name: string, member: T) => Value,
): ReadonlyMap<string, Value> {
  const domains = new Map<string, Map<string, Value>>();
  for (const [name, member] of Object.entries(members)) {
    const [domain, id] = qualifiedName(name, driver);
    const inDomain = domains.get(domain) ?? new Map<string, Value>();
    domains.set(domain, inDomain.set(id, read(name, member)));
  }
  return new Map([...domains].map(([domain, values]) => [domain, new NamedValues(values)]));
}

function attributeValue(name: string, attribute: DeviceAttribute): Value {
  if (attribute.int !== undefined) return BigInt(attribute.int);
  if (attribute.bool !== undefined) return attribute.bool;
  if (attribute.string !== undefined) return attribute.string;
  if (attribute.version !== undefined) return versionValue(attribute.version);
  throw new SelectorError(`attribute ${name}: unsupported attribute value`);
}
