import { CatalogueError } from '@binnacle/base';

/** A container could not be made or started; `reason` is what its waiting state shows (`CreateContainerConfigError`). */
export class ContainerStartError extends CatalogueError {
  readonly reason: string;

  constructor(reason: string, message: string, cause?: unknown) {
    super('container-start', message, { facts: { reason }, cause });
    this.reason = reason;
  }
}

/** A container's definition cannot be met on this node as things are. */
export class ContainerConfigError extends ContainerStartError {
  constructor(message: string, cause?: unknown) {
    super('CreateContainerConfigError', message, cause);
  }
}

/** The pod is to end: what was under way stops where it stands. */
export class NotWanted extends ContainerStartError {
  constructor() {
    super('ContainerCreating', 'the pod is being terminated');
  }
}

/** A volume of a pod could not be set up; the pod waits and tries again. */
export class VolumeError extends CatalogueError {
  /** What failed, in upstream's words; absent: setting it up. */
  readonly operation: string | undefined;

  constructor(
    volume: string,
    message: string,
    of: { readonly cause?: unknown; readonly operation?: string | undefined } = {},
  ) {
    super('volume', message, { facts: { volume }, cause: of.cause });
    this.operation = of.operation;
  }
}

/** What a volume stands for is not to be had as things are: nothing was tried on this node, and others have to mend it. */
export class VolumeUnprocessed extends VolumeError {}

/** Volumes of one pod that could not be had; at least one. */
export class VolumesError extends VolumeError {
  /** What people are to be told of it now: what is waited for still was told when it failed. */
  readonly told: readonly string[];
  /** Until the first of them may be tried again. */
  readonly retryMs: number;
  /** Of those, by name, the images that could not be pulled. */
  readonly pulls: ReadonlyMap<string, ContainerStartError>;

  constructor(all: readonly VolumeError[], of: Pick<VolumesError, 'told' | 'retryMs'>) {
    super('', all.map((one) => one.message).join('; '), { cause: all[0] });
    this.told = of.told;
    this.retryMs = of.retryMs;
    this.pulls = new Map(
      all.flatMap(({ cause, facts }) =>
        cause instanceof ContainerStartError ? [[String(facts['volume']), cause] as const] : [],
      ),
    );
  }
}

/** A volume is on its way by others' hands: nothing has failed yet. */
export class VolumeWait extends VolumeError {}

/** A kubelet is configured with what it cannot do, or cannot read. */
export class KubeletConfigError extends CatalogueError {
  constructor(field: string, message: string) {
    super('kubelet-config', `${field}: ${message}`, { facts: { field } });
  }
}

/** The pod asks for what this kubelet does not do: it is refused visibly, never ignored. */
export class UnsupportedError extends CatalogueError {
  constructor(message: string) {
    super('unsupported', message);
  }
}

/** A probe or hook names a port that its container does not have, or that is none. */
export class PortError extends CatalogueError {
  constructor(message: string) {
    super('port', message);
  }
}

/** A manifest in the static pods' folder cannot be used. */
export class ManifestError extends CatalogueError {
  constructor(file: string, message: string, cause?: unknown) {
    super('manifest', `${file}: ${message}`, { facts: { file }, cause });
  }
}

/** A question to the kubelet that has no answer: unknown pod, container without log. */
export class LogError extends CatalogueError {
  readonly httpCode: number;

  constructor(httpCode: number, message: string) {
    super('log', message, { facts: { httpCode } });
    this.httpCode = httpCode;
  }
}

/** A stream that cannot be had: unknown pod or container, a bad question. The message is the body of the reply. */
export class StreamRefusal extends CatalogueError {
  readonly httpCode: number;

  constructor(httpCode: number, message: string) {
    super('stream-refusal', message, { facts: { httpCode } });
    this.httpCode = httpCode;
  }
}

/** A container cannot be written down. */
export class CheckpointError extends CatalogueError {
  constructor(message: string) {
    super('checkpoint', message);
  }
}

/** What a pod's containers are to have cannot be given to them as they run; tried again. */
export class ResizeError extends CatalogueError {
  constructor(message: string) {
    super('resize', message);
  }
}

/** A path below a trusted folder leads over a link, or out of the folder: it is not followed. */
export class PathError extends CatalogueError {
  constructor(path: string, message: string) {
    super('path', `${path}: ${message}`, { facts: { path } });
  }
}

/** A program that knows of credentials did not answer as it has to. */
export class ProviderAnswerError extends CatalogueError {
  constructor(provider: string, message: string) {
    super('provider-answer', `credential provider ${provider}: ${message}`, { facts: { provider } });
  }
}

/** Users of a pod's own: no ids are left for it, or what was written down of them is none. In upstream's words. */
export class UserNamespaceError extends CatalogueError {
  constructor(message: string) {
    super('user-namespace', message);
  }
}

/** Nobody tells of shutdowns of the machine, or it cannot be held up. */
export class ShutdownWatchError extends CatalogueError {
  constructor(message: string, cause?: unknown) {
    super('shutdown-watch', message, { cause });
  }
}

/** Images could not be thrown away as far as the disk needs it. In upstream's words. */
export class ImageGarbageError extends CatalogueError {
  constructor(message: string) {
    super('image-garbage', message);
  }
}
