/** A row is judged again after every pair, and its earlier pairs have not changed: what was computed of them is kept. */

/** The function, which computes its value once for each object, for as long as that lives. The object must not change. */
export function remembered<Of extends object, Value>(compute: (of: Of) => Value): (of: Of) => Value {
  const known = new WeakMap<Of, { readonly value: Value }>();
  return (of) => {
    const found = known.get(of);
    if (found) return found.value;
    const value = compute(of);
    known.set(of, { value });
    return value;
  };
}
