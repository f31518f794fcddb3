/** Where each kind that has the definition of a pod has it, by resource. */
export const POD_PLACES: { readonly [resource: string]: string } = {
  pods: 'spec',
  podtemplates: 'template.spec',
  replicationcontrollers: 'spec.template.spec',
  'daemonsets.apps': 'spec.template.spec',
  'deployments.apps': 'spec.template.spec',
  'replicasets.apps': 'spec.template.spec',
  'statefulsets.apps': 'spec.template.spec',
  'jobs.batch': 'spec.template.spec',
  'cronjobs.batch': 'spec.jobTemplate.spec.template.spec',
};
