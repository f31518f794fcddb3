/** What is said of the ways to pods from elsewhere, and of who may go them, in words of our own: at most 25 of them a field. */

const INGRESS_PORT = {
  port: 'The port that this is about.',
  protocol: 'TCP, UDP or SCTP.',
  error: 'What is wrong with it, where something is.',
} as const;

export const NETWORK_TEXTS = {
  'core.v1.ServiceStatus': {
    loadBalancer: 'Addresses that load balancers have given it.',
    conditions: 'What is known of its state.',
  },
  'core.v1.LoadBalancerStatus': { ingress: 'Where the load balancer is reached.' },
  'core.v1.LoadBalancerIngress': {
    ip: 'Its address, where it has one.',
    hostname: 'Its name, where it has one.',
    ipMode: 'VIP: packets come with this address; Proxy: they come with the node’s or the pod’s.',
    ports: 'Ports of it, and what is wrong with them.',
  },
  'core.v1.PortStatus': INGRESS_PORT,
  'core.v1.SessionAffinityConfig': { clientIP: 'How clients are kept to one pod by their address.' },
  'core.v1.ClientIPConfig': { timeoutSeconds: 'For how long a client is kept to a pod. Three hours by default.' },
  'networking.v1.IngressRule': {
    host: 'For which host name; *.example.com for one label of any name. Absent: for all.',
    http: 'Which path leads where.',
  },
  'networking.v1.HTTPIngressRuleValue': { paths: 'Paths, each with what is behind it.' },
  'networking.v1.HTTPIngressPath': {
    path: 'The path, beginning with a slash.',
    pathType: 'Exact: this path alone; Prefix: whatever is below it; or as the controller likes.',
    backend: 'Where requests go.',
  },
  'networking.v1.IngressBackend': { service: 'A Service and its port.', resource: 'An object of another kind.' },
  'networking.v1.IngressServiceBackend': { name: 'Name of the Service.', port: 'Which of its ports.' },
  'networking.v1.ServiceBackendPort': { name: 'The port by its name.', number: 'The port by its number.' },
  'networking.v1.IngressTLS': { hosts: 'For which host names.', secretName: 'The Secret with certificate and key.' },
  'networking.v1.IngressStatus': { loadBalancer: 'Where it is reached.' },
  'networking.v1.IngressLoadBalancerStatus': { ingress: 'Addresses, one entry each.' },
  'networking.v1.IngressLoadBalancerIngress': {
    ip: 'Its address, where it has one.',
    hostname: 'Its name, where it has one.',
    ports: 'Ports of it, and what is wrong with them.',
  },
  'networking.v1.IngressPortStatus': INGRESS_PORT,
  'networking.v1.NetworkPolicy': {
    '': 'NetworkPolicy says with whom pods of its namespace may speak.',
    spec: 'Which pods it is about, and who may speak with them.',
  },
  'networking.v1.NetworkPolicyIngressRule': {
    ports: 'To which ports. Absent: to all.',
    from: 'From whom; one of them is enough. Absent: from everybody.',
  },
  'networking.v1.NetworkPolicyEgressRule': {
    ports: 'To which ports. Absent: to all.',
    to: 'To whom; one of them is enough. Absent: to everybody.',
  },
  'networking.v1.NetworkPolicyPeer': {
    podSelector: 'Pods by their labels, in this namespace or those of namespaceSelector.',
    namespaceSelector: 'Namespaces by their labels.',
    ipBlock: 'A range of addresses.',
  },
  'networking.v1.NetworkPolicyPort': {
    protocol: 'TCP, UDP or SCTP. TCP by default.',
    port: 'A port by its number or name. Absent: all of the protocol.',
    endPort: 'The last port of a range that begins with port.',
  },
  'networking.v1.IPBlock': { cidr: 'The range, as 10.0.0.0/8.', except: 'Ranges in it that are not meant.' },
} as const;
