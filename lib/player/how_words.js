// How the figures of a race came about, as [name, text] facts for people. They come translated in the messages
// (`how`, lib/provenance.py); the display's own lag is known on this screen alone and joined here.

import { say } from "./words.js";

/**
 * The facts of one lane's figures, or of the whole race (`generation` null; with `lanes` also who counted in each).
 * `lag`: ms, null when nothing was painted yet, undefined in a replay. A race on stage keeps to itself what a lane is.
 */
export function factsOf(race, t, { generation, lag, presenting, lanes = false }) {
  const own = generation?.ended(t) && generation.figures ? (generation.figures.how ?? []) : null;
  const live = own === null && generation ? [[say("how_tokens"), say("how_live")]] : [];
  const result = race.resultAt(t)?.value;
  const all = lanes ? (result?.lanes_how ?? []) : [];
  const shared = result?.how ?? race.run?.how ?? [];
  const facts = [...live, ...(presenting ? (own ?? []).slice(1) : (own ?? [])), ...all, ...shared];
  const named = new Map(); // what a lane says of itself stands for what the race says of all
  for (const [name, text] of facts) if (!named.has(name)) named.set(name, text);
  return [...named, [say("how_lag"), lagWords(lag)]];
}

function lagWords(lag) {
  if (lag === undefined) return say("how_lag_replay");
  return lag === null ? say("how_lag_none") : say("how_lag_here", { lag: Math.round(lag) });
}
