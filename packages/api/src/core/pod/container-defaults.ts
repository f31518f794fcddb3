import { putMember } from '@binnacle/machinery';
import type { Draft } from '../../draft.ts';
import type {
  Container,
  ContainerPort,
  EphemeralContainer,
  HTTPGetAction,
  LifecycleHandler,
  Probe,
} from '../../generated/core-v1.ts';
import { defaultPullPolicy } from './image.ts';

type AnyContainer = Draft<Container> | Draft<EphemeralContainer>;

/** Of a container wherever it stands: in a pod, in a template, ephemeral. */
export function defaultContainer(container: AnyContainer): void {
  if (!container.imagePullPolicy) container.imagePullPolicy = defaultPullPolicy(container.image ?? '');
  if (!container.terminationMessagePath) container.terminationMessagePath = '/dev/termination-log';
  if (!container.terminationMessagePolicy) container.terminationMessagePolicy = 'File';
  if (container.ports) for (const port of container.ports) if (!port.protocol) port.protocol = 'TCP';
  if (container.env) defaultEnv(container.env);
  if (container.livenessProbe) defaultProbe(container.livenessProbe);
  if (container.readinessProbe) defaultProbe(container.readinessProbe);
  if (container.startupProbe) defaultProbe(container.startupProbe);
  if (container.lifecycle?.postStart) defaultHandler(container.lifecycle.postStart);
  if (container.lifecycle?.preStop) defaultHandler(container.lifecycle.preStop);
}

/** A container without requests for a resource it limits requests that limit. Of pods, not of templates. */
export function defaultRequestsFromLimits(container: Draft<Container>): void {
  const resources = container.resources;
  if (!resources?.limits) return;
  const requests = (resources.requests ??= {});
  for (const name in resources.limits) {
    const limit = resources.limits[name];
    if (limit !== undefined && !Object.hasOwn(requests, name)) putMember(requests, name, limit);
  }
}

/** On the host's network a container port is the host's port. Of pods, not of templates. */
export function defaultHostPorts(ports: readonly Draft<ContainerPort>[] | undefined): void {
  if (ports) for (const port of ports) if (!port.hostPort) port.hostPort = port.containerPort;
}

function defaultEnv(env: NonNullable<AnyContainer['env']>): void {
  for (const variable of env) {
    const from = variable.valueFrom;
    if (!from) continue;
    if (from.fieldRef && !from.fieldRef.apiVersion) from.fieldRef.apiVersion = 'v1';
    if (from.fileKeyRef) from.fileKeyRef.optional ??= false;
  }
}

function defaultProbe(probe: Draft<Probe>): void {
  if (!probe.timeoutSeconds) probe.timeoutSeconds = 1;
  if (!probe.periodSeconds) probe.periodSeconds = 10;
  if (!probe.successThreshold) probe.successThreshold = 1;
  if (!probe.failureThreshold) probe.failureThreshold = 3;
  if (probe.httpGet) defaultHttpGet(probe.httpGet);
  if (probe.grpc) probe.grpc.service ??= '';
}

function defaultHandler(handler: Draft<LifecycleHandler>): void {
  if (handler.httpGet) defaultHttpGet(handler.httpGet);
}

function defaultHttpGet(action: Draft<HTTPGetAction>): void {
  if (!action.path) action.path = '/';
  if (!action.scheme) action.scheme = 'HTTP';
}
