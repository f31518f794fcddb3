import { PODS, setCondition } from '@binnacle/api';
import type { Draft } from '@binnacle/api';
import type { Binding, Pod, PodCondition } from '@binnacle/api/core/v1';
import { createTimeFormatter } from '@binnacle/base';
import { FieldError, names, status } from '@binnacle/machinery';
import type { Responder, ResponderRequest } from '../../../ports/responder.ts';
import type { GuaranteedUpdate } from '../../../ports/guaranteed-update.ts';
import type { ServerWorld } from '../../../ports/world.ts';
import { success } from './success.ts';

/** `pods/binding` and `bindings`: a scheduler's decision becomes the pod's node, once. */
export function createBindingHandler({ update, clock }: Pick<ServerWorld, 'update' | 'clock'>): Responder {
  const formatTime = createTimeFormatter();
  return {
    async handle(request) {
      const binding = request.body as Binding;
      const name = request.name || binding.metadata.name || '';
      if (name !== (binding.metadata.name ?? '')) {
        throw status.badRequest('name in URL does not match name in Binding object');
      }
      checkTarget(binding, name);
      await assign(update, request, { binding, name, now: formatTime(clock.now()) });
      return success();
    },
  };
}

function checkTarget(binding: Binding, name: string): void {
  const { kind = '', name: node = '' } = binding.target;
  const errors: FieldError[] = [];
  if (kind !== '' && kind !== 'Node') {
    errors.push(new FieldError('FieldValueNotSupported', 'target.kind', kind, 'supported values: "Node", "<empty>"'));
  }
  if (node === '') errors.push(new FieldError('FieldValueRequired', 'target.name', '', ''));
  if (errors.length > 0) throw status.invalid({ group: '', kind: 'Binding' }, name, errors);
}

async function assign(
  update: GuaranteedUpdate,
  request: ResponderRequest,
  { binding, name, now }: { binding: Binding; name: string; now: string },
): Promise<void> {
  const { namespace, dryRun, user, context } = request;
  const { annotations, labels } = binding.metadata;
  // The name of a node can be wrong, and what the scheduler adds; the rest of the pod is as it was.
  const asAlways = annotations === undefined && labels === undefined ? { validate: () => nodeErrors(binding) } : {};
  const conflict = (why: string): Error => status.conflict({ group: '', resource: 'pods/binding' }, name, why);
  await update(
    { resource: PODS, namespace, name },
    (draft) => {
      const pod = draft as Draft<Pod>;
      checkPod(binding, pod);
      const obstacle = findObstacle(pod);
      if (obstacle !== undefined) throw conflict(obstacle);
      pod.spec = { ...pod.spec, nodeName: binding.target.name ?? '' };
      if (annotations !== undefined) pod.metadata.annotations = { ...pod.metadata.annotations, ...annotations };
      if (labels !== undefined) pod.metadata.labels = { ...pod.metadata.labels, ...labels };
      const scheduled: PodCondition = { type: 'PodScheduled', status: 'True' };
      const conditions = setCondition<PodCondition>(pod.status?.conditions, scheduled, now);
      // Where room was made for it says nothing any more.
      const { nominatedNodeName: _past, ...rest } = pod.status ?? {};
      pod.status = { ...rest, conditions: [...conditions] };
    },
    { subresource: 'binding', dryRun, user, context, shares: true, ...asAlways },
  );
}

function nodeErrors({ target: { name = '' } }: Binding): readonly FieldError[] {
  return names.subdomainErrors(name).map((why) => new FieldError('FieldValueInvalid', 'spec.nodeName', name, why));
}

/** The scheduler may have meant an earlier life of the name. */
function checkPod(binding: Binding, pod: Pod): void {
  const { uid = '', resourceVersion = '' } = binding.metadata;
  const is = pod.metadata;
  const differs = (what: string, wanted: string, found: string | undefined): Error =>
    status.conflict(
      { group: '', resource: 'pods' },
      is.name ?? '',
      `Precondition failed: ${what} in precondition: ${wanted}, ${what} in object meta: ${found}`,
    );
  if (uid !== '' && uid !== is.uid) throw differs('UID', uid, is.uid);
  if (resourceVersion !== '' && resourceVersion !== is.resourceVersion) {
    throw differs('ResourceVersion', resourceVersion, is.resourceVersion);
  }
}

function findObstacle({ metadata, spec }: Pod): string | undefined {
  if ((metadata.deletionTimestamp ?? '') !== '') {
    return `pod ${metadata.name} is being deleted, cannot be assigned to a host`;
  }
  if ((spec.nodeName ?? '') !== '') return `pod ${metadata.name} is already assigned to node "${spec.nodeName}"`;
  if ((spec.schedulingGates?.length ?? 0) > 0) return `pod ${metadata.name} has non-empty .spec.schedulingGates`;
  return undefined;
}
