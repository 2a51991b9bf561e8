// A race shown to a room: what the audience may see of the lanes, and when a provider has failed on stage. Pure
// data; player.js applies it.

export const SILENT_ON_STAGE_MS = 8000;

/** The lanes without notes and models; with `names` (the reveal has not come) under these names. */
export function disguised(lanes, names) {
  return lanes.map((lane, index) => ({ ...lane, name: names?.[index] ?? lane.name, note: "", model: "" }));
}

/**
 * The first lane of a live provider that failed before its first token ("error") or has said nothing for 8 s
 * ("silent"), as {lane, why}; null while none has.
 */
export function failedOnStage(race, lanes, t) {
  for (const [index, lane] of race.lanes.entries()) {
    const generation = lane.at(t);
    const begun = generation.events[0]?.t ?? Infinity;
    if (lanes[index]?.origin !== "live" || (generation.first !== null && generation.first <= t)) continue;
    if (generation.ended(t)) {
      if (generation.end.status === "error") return { lane: index, why: "error" };
    } else if (t - begun >= SILENT_ON_STAGE_MS) return { lane: index, why: "silent" };
  }
  return null;
}
