import { Alert, Button, Checkbox, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useMemo, useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { pathOf } from '../api/discovery.ts';
import type { TabProps } from '../object/tab-props.ts';
import { saveFile } from '../shell/save-file.ts';
import { useText } from '../texts/use-text.ts';
import { spansOf } from './ansi.ts';
import { containersOf } from './containers.ts';
import { ALL, chosenLogs, prefixOf, textOf } from './log-choice.ts';
import type { LogChoice } from './log-choice.ts';
import { LogLines } from './log-lines.ts';
import type { LogLine } from './log-lines.ts';
import { silenceOf } from './silence.ts';
import { showLogs } from './show-log.ts';
import type { LogErrors } from './show-log.ts';

const LINE_HEIGHT = 18;
/** Of what stands in front of each container's lines, one after the other. */
const COLORS = ['blue', 'teal', 'grape', 'orange', 'cyan', 'pink'];

/** What a pod's containers say, as they say it: one of them, or all interleaved. */
export function LogsTab({ kind, object }: TabProps): ReactNode {
  const text = useText();
  const all = containersOf(object);
  const [choice, setChoice] = useState<LogChoice>({ container: all[0] ?? '', previous: false, timestamps: false });
  const [filter, setFilter] = useState('');
  const { name, namespace = '' } = object.metadata;
  const { containers, queries, left } = chosenLogs(all, choice);
  const { log, version, errors } = useLogs(`${pathOf(kind, { namespace, name })}/log`, queries, choice.timestamps);
  const { lines, dropped } = useMemo(() => log.view(filter), [log, filter, version]);
  const silence = silenceOf({ shown: lines.length, filter, errors });
  const file = choice.container === ALL ? `${name}.log` : `${name}-${choice.container}.log`;
  return (
    <Stack h="100%" gap="xs">
      <Group gap="sm">
        <Select
          aria-label={text.container}
          data={[...(all.length > 1 ? [{ value: ALL, label: text.allContainers }] : []), ...all]}
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
        <Button size="xs" variant="default" onClick={() => saveFile(file, textFile(textOf(lines, containers)))}>
          {text.download}
        </Button>
      </Group>
      <Missing containers={containers} errors={errors} left={left} dropped={dropped} />
      {silence === undefined ? null : (
        <Text c="dimmed" size="sm" role="status">
          {text[silence]}
        </Text>
      )}
      <LineList lines={lines} containers={containers} label={text.logs} />
    </Stack>
  );
}

interface MissingProps {
  readonly containers: readonly string[];
  readonly errors: LogErrors;
  /** Containers that are not followed. */
  readonly left: number;
  /** Lines that are not kept. */
  readonly dropped: number;
}

/** What is not to be seen, and why. */
function Missing({ containers, errors, left, dropped }: MissingProps): ReactNode {
  const text = useText();
  return (
    <>
      {errors.size === 0 ? null : (
        <Alert color="orange" style={{ whiteSpace: 'pre-wrap' }}>
          {[...errors].map(([source, error]) => prefixOf(source, containers) + error).join('\n')}
        </Alert>
      )}
      {left === 0 ? null : (
        <Alert color="gray">
          {text.containersNotFollowed} {left}
        </Alert>
      )}
      {dropped === 0 ? null : (
        <Alert color="gray">
          {text.olderLines}: {dropped}
        </Alert>
      )}
    </>
  );
}

interface FollowedLogs {
  readonly log: LogLines;
  /** Grows with each change that is to be drawn. */
  readonly version: number;
  readonly errors: LogErrors;
}

function useLogs(path: string, queries: readonly string[], showsTimes: boolean): FollowedLogs {
  const [followed, setFollowed] = useState<FollowedLogs>(() => ({
    log: new LogLines(),
    version: 0,
    errors: new Map(),
  }));
  const asked = queries.join('\n');
  useEffect(() => {
    const paths = asked === '' ? [] : asked.split('\n').map((query) => `${path}?${query}`);
    // Several are put in order by the times that they were asked for.
    const isTimed = paths.length > 1;
    return showLogs({ paths, isTimed, showsTimes: showsTimes || !isTimed }, (log, errors) =>
      setFollowed(({ version }) => ({ log, version: version + 1, errors })),
    );
  }, [path, asked, showsTimes]);
  return followed;
}

interface LineListProps {
  readonly lines: readonly LogLine[];
  readonly containers: readonly string[];
  readonly label: string;
}

function LineList({ lines, containers, label }: LineListProps): ReactNode {
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
            <LineText line={lines[index]} containers={containers} />
          </div>
        ))}
      </div>
    </div>
  );
}

interface LineTextProps {
  readonly line: LogLine | undefined;
  readonly containers: readonly string[];
}

function LineText({ line, containers }: LineTextProps): ReactNode {
  if (line === undefined) return null;
  const prefix = prefixOf(line.source, containers);
  const own = COLORS[line.source % COLORS.length];
  return (
    <>
      {prefix === '' ? null : (
        <span style={{ color: `var(--mantine-color-${own}-text)`, fontWeight: 700 }}>{prefix}</span>
      )}
      {spansOf(line.text).map(({ text, color, bold }, at) => (
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
    </>
  );
}

function textFile(content: string): Blob {
  return new Blob([content], { type: 'text/plain' });
}
