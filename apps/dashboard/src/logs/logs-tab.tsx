import { Alert, Button, Checkbox, Group, Select, Stack, TextInput } from '@mantine/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useMemo, useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { pathOf } from '../api/discovery.ts';
import type { TabProps } from '../object/tab-props.ts';
import { useText } from '../texts/use-text.ts';
import { spansOf } from './ansi.ts';
import { containersOf } from './containers.ts';
import { LogLines } from './log-lines.ts';
import { showLog } from './show-log.ts';

const LINE_HEIGHT = 18;
const TAIL = 2000;

interface Choice {
  readonly container: string;
  readonly previous: boolean;
  readonly timestamps: boolean;
}

/** What a pod's containers say, as they say it. */
export function LogsTab({ kind, object }: TabProps): ReactNode {
  const text = useText();
  const containers = containersOf(object);
  const [choice, setChoice] = useState<Choice>({
    container: containers[0] ?? '',
    previous: false,
    timestamps: false,
  });
  const [filter, setFilter] = useState('');
  const { name, namespace = '' } = object.metadata;
  const { log, version, error } = useLog(`${pathOf(kind, { namespace, name })}/log`, choice);
  const { lines, dropped } = useMemo(() => log.view(filter), [log, filter, version]);
  return (
    <Stack h="100%" gap="xs">
      <Group gap="sm">
        <Select
          aria-label={text.container}
          data={[...containers]}
          value={choice.container}
          allowDeselect={false}
          onChange={(container) => setChoice({ ...choice, container: container ?? '' })}
        />
        <Checkbox
          label={text.previous}
          checked={choice.previous}
          onChange={(event) => setChoice({ ...choice, previous: event.currentTarget.checked })}
        />
        <Checkbox
          label={text.timestamps}
          checked={choice.timestamps}
          onChange={(event) => setChoice({ ...choice, timestamps: event.currentTarget.checked })}
        />
        <TextInput
          aria-label={text.filter}
          placeholder={text.filter}
          value={filter}
          onChange={(event) => setFilter(event.currentTarget.value)}
        />
        <Button size="xs" variant="default" onClick={() => download(`${name}-${choice.container}.log`, lines)}>
          {text.download}
        </Button>
      </Group>
      {error === undefined ? null : <Alert color="orange">{error}</Alert>}
      {dropped === 0 ? null : (
        <Alert color="gray">
          {text.olderLines}: {dropped}
        </Alert>
      )}
      <LineList lines={lines} label={text.logs} />
    </Stack>
  );
}

interface FollowedLog {
  readonly log: LogLines;
  /** Grows with each change that is to be drawn. */
  readonly version: number;
  readonly error?: string;
}

function useLog(path: string, { container, previous, timestamps }: Choice): FollowedLog {
  const [followed, setFollowed] = useState<FollowedLog>(() => ({ log: new LogLines(), version: 0 }));
  useEffect(() => {
    const query = new URLSearchParams({ container, tailLines: String(TAIL), follow: String(!previous) });
    if (previous) query.set('previous', 'true');
    if (timestamps) query.set('timestamps', 'true');
    return showLog(`${path}?${query.toString()}`, (log, error) =>
      setFollowed(({ version }) => ({ log, version: version + 1, ...(error === undefined ? {} : { error }) })),
    );
  }, [path, container, previous, timestamps]);
  return followed;
}

function LineList({ lines, label }: { readonly lines: readonly string[]; readonly label: string }): ReactNode {
  const scroll = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroll.current,
    estimateSize: () => LINE_HEIGHT,
    overscan: 20,
  });
  useEffect(() => {
    if (isAtEnd.current && lines.length > 0) virtual.scrollToIndex(lines.length - 1);
  }, [lines, virtual]);
  const onScroll = (): void => {
    const box = scroll.current;
    if (box !== null) isAtEnd.current = box.scrollHeight - box.scrollTop - box.clientHeight < 2 * LINE_HEIGHT;
  };
  return (
    <div
      ref={scroll}
      onScroll={onScroll}
      role="log"
      aria-label={label}
      tabIndex={0}
      style={{
        flex: 1,
        minHeight: '12rem',
        overflow: 'auto',
        fontFamily: 'var(--mantine-font-family-monospace)',
        fontSize: 12,
      }}
    >
      <div style={{ height: virtual.getTotalSize(), position: 'relative', minWidth: 'max-content' }}>
        {virtual.getVirtualItems().map(({ index, start }) => (
          <div
            key={index}
            style={{
              position: 'absolute',
              top: 0,
              height: LINE_HEIGHT,
              whiteSpace: 'pre',
              transform: `translateY(${start}px)`,
            }}
          >
            {spansOf(lines[index] ?? '').map(({ text, color, bold }, at) => (
              <span
                key={at}
                style={{
                  ...(color === undefined ? {} : { color: `var(--mantine-color-${color}-text)` }),
                  ...(bold === true ? { fontWeight: 700 } : {}),
                }}
              >
                {text}
              </span>
            ))}
          </div>
        ))}
      </div>
    </div>
  );
}

function download(file: string, lines: readonly string[]): void {
  const url = URL.createObjectURL(new Blob([`${lines.join('\n')}\n`], { type: 'text/plain' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = file;
  link.click();
  URL.revokeObjectURL(url);
}
