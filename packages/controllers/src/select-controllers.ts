import { UnknownControllerError } from './errors.ts';

/**
 * Controllers of upstream that do nothing here, and why: their names are known, so that lists made for upstream hold.
 * docs/controllers.md has the whole list.
 */
export const NOT_RUN_HERE: ReadonlyMap<string, string> = new Map([
  ['clusterrole-aggregation-controller', 'the API server itself aggregates cluster roles'],
  ['cloud-node-lifecycle-controller', 'of cloud providers only'],
  ['node-route-controller', 'of cloud providers only'],
  ['podcertificaterequest-cleaner-controller', 'PodCertificateRequest is off in v1.36'],
  ['podgroup-protection-controller', 'GenericWorkload is off in v1.36'],
  ['resourcepoolstatusrequest-controller', 'DRAResourcePoolStatus is off in v1.36'],
  ['storage-version-migrator-controller', 'StorageVersionMigrator is off in v1.36'],
  ['storageversion-garbage-collector-controller', 'StorageVersionAPI is off in v1.36'],
  ['selinux-warning-controller', 'SELinux labels are refused by the kubelet'],
]);

/**
 * The controllers that a `--controllers` list means, in the order of the known ones: `*` is all of them that are on by
 * default, `name` this one, `-name` not this one. What is said of a name first holds, and beats `*`. Names without their `-controller`
 * are taken too, as upstream's older names were. Throws UnknownControllerError.
 */
export function selectControllers(
  list: readonly string[],
  known: readonly string[],
  off: readonly string[] = [],
): readonly string[] {
  const all = list.includes('*');
  const said = new Map<string, boolean>();
  for (const item of list) {
    if (item === '*') continue;
    const wanted = !item.startsWith('-');
    const name = nameIn([...known, ...NOT_RUN_HERE.keys()], wanted ? item : item.slice(1));
    if (!said.has(name)) said.set(name, wanted);
  }
  return known.filter((name) => said.get(name) ?? (all && !off.includes(name)));
}

function nameIn(known: readonly string[], given: string): string {
  const name = [given, `${given}-controller`].find((one) => known.includes(one));
  if (name === undefined) throw new UnknownControllerError(given);
  return name;
}
