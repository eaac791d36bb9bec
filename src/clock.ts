/**
 * The time of day by the clock as it was when this process started, plus the time that has passed since. A clock that is
 * set during a run changes neither the order nor the distance of two of these times.
 */
export function steadyDate(): Date {
  return new Date(performance.timeOrigin + performance.now());
}
