import type { Arrow, Lane } from '@binnacle/trace';
import type { KeyboardEvent, ReactNode } from 'react';
import { useText } from '../texts/use-text.ts';
import classes from './sequence.module.css';
import { shownArrows } from './shown-arrows.ts';
import type { Story } from './story.ts';

const LANE_WIDTH = 104;
const ROW = 24;
const TOP = 36;
const TEXT_WIDTH = 720;

interface SequenceProps {
  readonly story: Story;
  /** How many of its first arrows are drawn, where there are more than a picture holds. */
  readonly firstMax: number;
  readonly onMore: () => void;
  readonly label: string;
  readonly chosen: string | undefined;
  readonly onChoose: (arrow: Arrow) => void;
}

/** A story as a sequence diagram: who told whom, from top to bottom; of a long one its beginning and its end. */
export function Sequence({ story, firstMax, onMore, label, chosen, onChoose }: SequenceProps): ReactNode {
  const { arrows, lanes } = story;
  const { first, left, last } = shownArrows(arrows, firstMax);
  const below = first.length + (left > 0 ? 1 : 0);
  const width = lanes.length * LANE_WIDTH + TEXT_WIDTH;
  const height = TOP + (below + last.length) * ROW + ROW;
  const rowOf = (arrow: Arrow, at: number): ReactNode => (
    <ArrowRow
      key={arrow.hop.metadata.name}
      arrow={arrow}
      lanes={lanes}
      y={TOP + at * ROW}
      isChosen={chosen === arrow.hop.metadata.name}
      onChoose={onChoose}
    />
  );
  return (
    <svg className={classes['picture']} width={width} height={height} role="group" aria-label={label}>
      <defs>
        <marker id="tip" markerWidth="8" markerHeight="8" refX="7" refY="4" orient="auto">
          <path d="M0,0L8,4L0,8z" className={classes['tip']} />
        </marker>
      </defs>
      {lanes.map((lane, at) => (
        <g key={lane}>
          <text x={middle(at)} y={18} textAnchor="middle" className={classes['head']}>
            {lane}
          </text>
          <line x1={middle(at)} x2={middle(at)} y1={26} y2={height} className={classes['lane']} />
        </g>
      ))}
      {first.map(rowOf)}
      {left === 0 ? null : <GapRow left={left} y={TOP + first.length * ROW} onMore={onMore} />}
      {last.map((arrow, at) => rowOf(arrow, below + at))}
    </svg>
  );
}

/** What Enter and the blank do to a button that is drawn. */
function onPress(act: () => void): (event: KeyboardEvent) => void {
  return (event) => {
    if (event.key !== 'Enter' && event.key !== ' ') return;
    event.preventDefault();
    act();
  };
}

interface GapRowProps {
  readonly left: number;
  readonly y: number;
  readonly onMore: () => void;
}

/** In the place of those that are not drawn. */
function GapRow({ left, y, onMore }: GapRowProps): ReactNode {
  const text = useText();
  const told = `⋮ ${left} ${text.moreArrows}`;
  return (
    <g
      role="button"
      tabIndex={0}
      aria-label={told}
      className={classes['row']}
      onClick={onMore}
      onKeyDown={onPress(onMore)}
    >
      <rect x={0} y={y - ROW / 2} width="100%" height={ROW} className={classes['back']} />
      <text x={LANE_WIDTH / 2} y={y + 4} className={classes['step']}>
        {told}
      </text>
    </g>
  );
}

interface ArrowRowProps {
  readonly arrow: Arrow;
  readonly lanes: readonly Lane[];
  readonly y: number;
  readonly isChosen: boolean;
  readonly onChoose: (arrow: Arrow) => void;
}

function ArrowRow({ arrow, lanes, y, isChosen, onChoose }: ArrowRowProps): ReactNode {
  const { from, to, label, step, failed } = arrow;
  const time = timeText(arrow);
  const mark = step === undefined ? '' : `${step}. `;
  const [start, end] = [middle(lanes.indexOf(from)), middle(lanes.indexOf(to))];
  return (
    <g
      role="button"
      tabIndex={0}
      aria-pressed={isChosen}
      aria-label={`${from} → ${to}: ${time} ${mark}${label}`}
      className={`${classes['row']} ${isChosen ? classes['chosen'] : ''} ${failed ? classes['failed'] : ''}`}
      onClick={() => onChoose(arrow)}
      onKeyDown={onPress(() => onChoose(arrow))}
    >
      <rect x={0} y={y - ROW / 2} width="100%" height={ROW} className={classes['back']} />
      {start === end ? (
        <circle cx={start} cy={y} r={4} className={classes['note']} />
      ) : (
        <line x1={start} x2={end} y1={y} y2={y} markerEnd="url(#tip)" className={classes['arrow']} />
      )}
      <text x={lanes.length * LANE_WIDTH} y={y + 4}>
        <tspan className={classes['time']}>{time} </tspan>
        {step === undefined ? null : (
          <tspan className={classes['step']} data-step={step}>
            {mark}
          </tspan>
        )}
        {label}
      </text>
    </g>
  );
}

function middle(lane: number): number {
  return lane * LANE_WIDTH + LANE_WIDTH / 2;
}

function timeText({ afterMs, durationMs }: Arrow): string {
  const took = durationMs >= 0.05 ? ` (${durationMs.toFixed(1)} ms)` : '';
  return `+${afterMs < 0 ? '…' : afterMs.toFixed(1)}${took}`;
}
