import { CatalogueError } from '@binnacle/base';

/** An owner reference names a kind that the server does not serve (any more, or yet). */
export class UnknownKindError extends CatalogueError {
  constructor(apiVersion: string, kind: string) {
    super('unknown-kind', `no resource of kind ${kind} in ${apiVersion}`, { facts: { apiVersion, kind } });
  }
}

/** Who serves a group version says of it what nobody can read. */
export class DiscoveryError extends CatalogueError {
  constructor(message: string) {
    super('discovery', message);
  }
}

/** `--controllers` names one that there is not. */
export class UnknownControllerError extends CatalogueError {
  constructor(name: string) {
    super('unknown-controller', `"${name}" is not in the list of known controllers`, { facts: { name } });
  }
}

/** A pod of a relative disruption budget has a controller that nobody can ask for its scale. */
export class NoControllerError extends CatalogueError {
  constructor(pod: string) {
    super('no-controller', `found no controllers for pod ${JSON.stringify(pod)}`, { facts: { pod } });
  }
}

/** The controller of a pod of a relative disruption budget is of a kind without a scale, or of none that is served. */
export class NoScaleError extends CatalogueError {
  constructor(message: string) {
    super('no-scale', message);
  }
}

/** A claim has the name of a pod's ephemeral volume, and belongs to somebody else. */
export class ForeignClaimError extends CatalogueError {
  constructor(claim: string, pod: string) {
    super('foreign-claim', `PVC ${claim} was not created for pod ${pod} (pod is not owner)`, { facts: { claim, pod } });
  }
}

/** A metric that an autoscaler goes by cannot be had, or nothing follows from it. */
export class MetricError extends CatalogueError {
  constructor(message: string, cause?: unknown) {
    super('metric', message, { cause });
  }
}

/** What an autoscaler points at cannot be scaled. */
export class ScaleTargetError extends CatalogueError {
  constructor(message: string, cause?: unknown) {
    super('scale-target', message, { cause });
  }
}

/** A cluster's networks cannot be parted among nodes as it was asked for. */
export class NodeCidrError extends CatalogueError {
  constructor(message: string) {
    super('node-cidr', message);
  }
}

/** A pod's claim for devices is to be made after a template that is not there (yet). */
export class NoTemplateError extends CatalogueError {
  constructor(name: string) {
    const quoted = JSON.stringify(name);
    const reason = `resourceclaimtemplate.resource.k8s.io ${quoted} not found`;
    super('no-template', `resource claim template ${quoted}: ${reason}`, { facts: { name } });
  }
}

/** Something in a namespace that goes cannot be deleted, or nobody knows what there is; its status says what. */
export class NamespaceContentError extends CatalogueError {
  constructor(namespace: string, failures: readonly string[]) {
    super('namespace-content', `${failures.length} failure(s), first: ${failures[0] ?? ''}`, { facts: { namespace } });
  }
}
