import { readdirSync, readFileSync } from 'node:fs';

type Row = readonly [name: string, type: string, value: number];

/** The process's own figures, under the names that all of Prometheus' clients use. What the system does not tell is left out. */
export function processMetrics(now: number): readonly Row[] {
  const { user, system } = process.cpuUsage();
  const memory = process.memoryUsage();
  const rows: Row[] = [
    ['process_cpu_seconds_total', 'counter', (user + system) / 1e6],
    ['process_resident_memory_bytes', 'gauge', memory.rss],
    ['process_start_time_seconds', 'gauge', now / 1000 - process.uptime()],
    ['nodejs_heap_size_used_bytes', 'gauge', memory.heapUsed],
    ['nodejs_heap_size_total_bytes', 'gauge', memory.heapTotal],
  ];
  if (process.platform === 'linux') rows.push(...linuxMetrics());
  return rows;
}

function linuxMetrics(): readonly Row[] {
  const status = readFileSync('/proc/self/status', 'utf8');
  const virtualKib = Number(/^VmSize:\s+(\d+)/m.exec(status)?.[1] ?? 0);
  const limits = readFileSync('/proc/self/limits', 'utf8');
  const filesMax = Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? 0);
  return [
    ['process_virtual_memory_bytes', 'gauge', virtualKib * 1024],
    // Reading the folder opens one more.
    ['process_open_fds', 'gauge', readdirSync('/proc/self/fd').length - 1],
    ['process_max_fds', 'gauge', filesMax],
  ];
}
