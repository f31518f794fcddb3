/** Services by IPVS on a real kernel that has it: a machine of its own (`npm run guest`), since many hosts have none. */
import { silentLogger } from '@binnacle/base';
import { inside, NODE_NS } from './namespaces.ts';
import { testServiceNetwork } from './service-network-suite.ts';
import { IpvsNetwork } from '../ipvs/ipvs-network.ts';

const TOOLS = ['iptables', 'ip6tables'];

function leftovers(): string {
  const all = [
    ...TOOLS.map((tool) => inside(NODE_NS, `${tool}-save`)),
    inside(NODE_NS, 'ipset', 'save'),
    inside(NODE_NS, 'ipvsadm', '--save', '-n'),
    inside(NODE_NS, 'ip', 'route', 'show', 'table', 'local', 'proto', '97'),
  ];
  return all.join('\n').match(/.*(?:BINTEST|10\.96|fd03).*/)?.[0] ?? '';
}

testServiceNetwork({
  make: (run) => new IpvsNetwork({ prefix: 'BINTEST', families: ['IPv4', 'IPv6'], run, log: silentLogger }),
  leftovers,
  flush: () => {
    inside(NODE_NS, 'ipvsadm', '--clear');
    for (const tool of TOOLS)
      for (const table of ['nat', 'filter']) for (const verb of ['-F', '-X']) inside(NODE_NS, tool, '-t', table, verb);
  },
});
