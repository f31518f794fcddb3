import { useMediaQuery } from '@mantine/hooks';
import type { Arrow, Lane } from '@binnacle/trace';
import type { KeyboardEvent, ReactNode } from 'react';
import { useText } from '../texts/use-text.ts';
import { layoutOf } from './picture-layout.ts';
import type { PictureLayout } from './picture-layout.ts';
import classes from './sequence.module.css';
import { shownArrows } from './shown-arrows.ts';
import type { Story } from './story.ts';

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
  const isNarrow = useMediaQuery('(max-width: 48em)', false);
  const shown = [...first, ...last];
  const longest = Math.max(0, ...shown.map((arrow) => textOf(arrow).length));
  const layout = layoutOf({ lanes: lanes.length, longest, isNarrow });
  const { row, top, width } = layout;
  const below = first.length + (left > 0 ? 1 : 0);
  const height = top + (below + last.length) * row + row;
  const rowOf = (arrow: Arrow, at: number): ReactNode => (
    <ArrowRow
      key={arrow.hop.metadata.name}
      arrow={arrow}
      lanes={lanes}
      layout={layout}
      y={top + at * row}
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
          <LaneHead lane={lane} x={middle(at, layout)} top={top} isNarrow={isNarrow} />
          <line x1={middle(at, layout)} x2={middle(at, layout)} y1={top - 10} y2={height} className={classes['lane']} />
        </g>
      ))}
      {first.map(rowOf)}
      {left === 0 ? null : <GapRow left={left} y={top + first.length * row} layout={layout} onMore={onMore} />}
      {last.map((arrow, at) => rowOf(arrow, below + at))}
    </svg>
  );
}

interface LaneHeadProps {
  readonly lane: Lane;
  readonly x: number;
  readonly top: number;
  readonly isNarrow: boolean;
}

/** Where lanes are narrower than their names these lean. */
function LaneHead({ lane, x, top, isNarrow }: LaneHeadProps): ReactNode {
  const y = top - 18;
  return (
    <text
      x={x}
      y={y}
      className={classes['head']}
      {...(isNarrow ? { transform: `rotate(-40 ${x} ${y})` } : { textAnchor: 'middle' })}
    >
      {lane}
    </text>
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
  readonly layout: PictureLayout;
  readonly onMore: () => void;
}

/** In the place of those that are not drawn. */
function GapRow({ left, y, layout: { laneWidth, row }, onMore }: GapRowProps): ReactNode {
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
      <rect x={0} y={y - row / 2} width="100%" height={row} className={classes['back']} />
      <text x={laneWidth / 2} y={y + 4} className={classes['step']}>
        {told}
      </text>
    </g>
  );
}

interface ArrowRowProps {
  readonly arrow: Arrow;
  readonly lanes: readonly Lane[];
  readonly layout: PictureLayout;
  readonly y: number;
  readonly isChosen: boolean;
  readonly onChoose: (arrow: Arrow) => void;
}

function ArrowRow({ arrow, lanes, layout, y, isChosen, onChoose }: ArrowRowProps): ReactNode {
  const { from, to, label, step, failed } = arrow;
  const { row, text } = layout;
  const time = timeText(arrow);
  const mark = markOf(arrow);
  const [start, end] = [middle(lanes.indexOf(from), layout), middle(lanes.indexOf(to), layout)];
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
      <rect x={0} y={y - 12} width="100%" height={row} className={classes['back']} />
      {start === end ? (
        <circle cx={start} cy={y} r={4} className={classes['note']} />
      ) : (
        <line x1={start} x2={end} y1={y} y2={y} markerEnd="url(#tip)" className={classes['arrow']} />
      )}
      <text x={text.x} y={y + text.below}>
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

function middle(lane: number, { laneWidth }: PictureLayout): number {
  return lane * laneWidth + laneWidth / 2;
}

function markOf({ step }: Arrow): string {
  return step === undefined ? '' : `${step}. `;
}

function textOf(arrow: Arrow): string {
  return `${timeText(arrow)} ${markOf(arrow)}${arrow.label}`;
}

function timeText({ afterMs, durationMs }: Arrow): string {
  const took = durationMs >= 0.05 ? ` (${durationMs.toFixed(1)} ms)` : '';
  return `+${afterMs < 0 ? '…' : afterMs.toFixed(1)}${took}`;
}
