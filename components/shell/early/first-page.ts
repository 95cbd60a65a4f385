/**
 * Runs before the page arrives: it replaces its skeleton as soon as it is there. React would wait until 300 ms after the
 * skeleton was painted, a time that it keeps in `$RT`, so that skeletons do not flicker; most pages come sooner.
 */
export const FIRST_PAGE_SCRIPT = `Object.defineProperty(window,'$RT',{get:function(){},set:function(){}})`
