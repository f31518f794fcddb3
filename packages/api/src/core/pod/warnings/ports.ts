import type { ContainerPort } from '../../../generated/core-v1.ts';
import type { FieldPath } from '../../../validation/path.ts';
import type { Warnings } from '../../../validation/warnings.ts';

/** Ports of one number that are compared with each further one. */
const OTHERS_MAX = 100;

interface PlacedPort {
  readonly port: ContainerPort;
  readonly path: FieldPath;
}

/** Looks at the ports of all containers of a pod, one after the other. */
export class PortWarnings {
  readonly #warnings: Warnings;
  /** By number and protocol. */
  readonly #seen = new Map<string, PlacedPort[]>();
  readonly #names = new Map<string, FieldPath>();
  readonly #named: string[] = [];

  constructor(warnings: Warnings) {
    this.#warnings = warnings;
  }

  /** `path` is the container's. */
  look(ports: readonly ContainerPort[] | undefined, path: FieldPath): void {
    for (const [at, port] of (ports ?? []).entries()) {
      const placed = { port, path: path.child('ports').index(at) };
      if (port.hostIP && !port.hostPort) this.#warnings.add(placed.path, `hostIP set without hostPort: ${shown(port)}`);
      this.#compare(placed);
      this.#lookAtName(placed);
    }
  }

  /** Double names are told after everything else. */
  finish(): void {
    for (const text of this.#named) this.#warnings.say(text);
  }

  #compare(placed: PlacedPort): void {
    const key = `${placed.port.containerPort}/${placed.port.protocol}`;
    const others = this.#seen.get(key);
    if (others === undefined) {
      this.#seen.set(key, [placed]);
      return;
    }
    for (const other of others) {
      const relation = relationOf(placed.port, other.port);
      if (relation !== undefined) {
        this.#warnings.add(placed.path, `${relation} port definition with ${other.path.toString()}`);
      }
    }
    if (others.length < OTHERS_MAX) others.push(placed);
  }

  #lookAtName({ port: { name }, path }: PlacedPort): void {
    if (!name) return;
    const other = this.#names.get(name)?.toString();
    if (other === undefined) this.#names.set(name, path);
    else if (this.#named.length < OTHERS_MAX) {
      this.#named.push(
        `${path.toString()}: duplicate port name ${JSON.stringify(name)} with ${other}, services and probes that select ports by name will use ${other}`,
      );
    }
  }
}

function relationOf(a: ContainerPort, b: ContainerPort): string | undefined {
  const [hostA, hostB] = [a.hostPort ?? 0, b.hostPort ?? 0];
  const [ipA, ipB] = [a.hostIP ?? '', b.hostIP ?? ''];
  if (ipA === ipB && hostA === hostB) return 'duplicate';
  if (hostA === 0 || hostB === 0) return 'overlapping';
  if (hostA === hostB && (ipA === '') !== (ipB === '')) return 'dangerously ambiguous';
  return undefined;
}

/** A port as upstream prints it. */
function shown({ name, hostPort, containerPort, protocol, hostIP }: ContainerPort): string {
  return `{Name:${name ?? ''} HostPort:${hostPort ?? 0} ContainerPort:${containerPort} Protocol:${protocol ?? ''} HostIP:${hostIP ?? ''}}`;
}
