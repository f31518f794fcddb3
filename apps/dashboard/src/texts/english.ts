/** What the dashboard says, in English; the other languages say the same. */
export const english = {
  token: 'Token',
  logIn: 'Log in',
  logOut: 'Log out',
  loginHint: 'Or open the link that `binnacle dashboard` prints.',
  allNamespaces: 'All namespaces',
  namespace: 'Namespace',
  filter: 'Filter',
  labels: 'Labels',
  kinds: 'Kinds',
  overview: 'Overview',
  loading: 'Loading',
  live: 'Live',
  broken: 'Interrupted',
  nothing: 'Nothing here',
  menu: 'Menu',
  workloads: 'Workloads',
  network: 'Network',
  storage: 'Storage',
  configuration: 'Configuration',
  access: 'Access',
  cluster: 'Cluster',
  custom: 'Custom',
  others: 'Others',
  light: 'Light or dark',
  language: '한국어',
} as const;

/** One language's texts. */
export type Texts = { readonly [key in keyof typeof english]: string };
