"""Finds places of C++ sources that can be changed, and writes sources that hold several changes at once.

A change is a mutant: `a < b` becomes `(davsim_mutation::on(7) ? (a <= b) : (a < b))`. One build serves
all mutants, and an environment variable chooses one of them for a run (mutant.hpp)."""

import dataclasses
import re

from clang import cindex
from clang.cindex import CursorKind as Kind

OPERATORS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "+": "-", "-": "+",
             "*": "+", "/": "*", "%": "/", "&&": "||", "||": "&&", "<<": ">>", ">>": "<<", "&": "|",
             "|": "&", "^": "&", "+=": "-=", "-=": "+=", "*=": "+=", "/=": "*=", "|=": "&=", "&=": "|="}
CALLS = {"std::min": "std::max", "std::max": "std::min", "hn::Min": "hn::Max", "hn::Max": "hn::Min",
         "hn::Add": "hn::Sub", "hn::Sub": "hn::Add", "hn::Mul": "hn::Add", "hn::Lt": "hn::Le",
         "hn::Le": "hn::Lt", "hn::Gt": "hn::Ge", "hn::Ge": "hn::Gt", "hn::And": "hn::Or",
         "hn::Or": "hn::And", "hn::Floor": "hn::Ceil", "hn::Round": "hn::Floor"}
# What is known when the compiler runs cannot be chosen later.
CONSTANT = {Kind.STATIC_ASSERT, Kind.CASE_STMT, Kind.ENUM_DECL, Kind.TYPE_REF, Kind.TYPEDEF_DECL,
            Kind.TYPE_ALIAS_DECL, Kind.TEMPLATE_REF, Kind.CXX_THROW_EXPR}
# What these are given makes a message, or how much room is taken beforehand: no behaviour.
WITHOUT_MEANING = re.compile(r"^(\w+::)*(fail|refuse|fault|throw_\w+|raise\w*|.*\.reserve|.*message|HWY_ABORT)\(")
FUNCTIONS = {Kind.FUNCTION_DECL, Kind.CXX_METHOD, Kind.CONSTRUCTOR, Kind.DESTRUCTOR,
             Kind.FUNCTION_TEMPLATE, Kind.CONVERSION_FUNCTION}


@dataclasses.dataclass(frozen=True, order=True)
class Site:
    path: str
    start: int  # bytes
    end: int
    line: int
    kind: str
    before: str
    after: str  # an expression in which @ stands for: this mutant is chosen


def text_of(data, extent):
    return data[extent.start.offset:extent.end.offset].decode()


class Finder:
    """The places of one source, which UNIT includes or is."""

    def __init__(self, root, path, unit):
        self.path, self.data = path, (root / path).read_bytes()
        self.sites = {}
        self.full = str(root / path)
        self.outside(unit.cursor)

    def mine(self, cursor):
        start, end = cursor.extent.start, cursor.extent.end
        return start.file is not None and end.file is not None and start.file.name == self.full and (
            end.file.name == self.full)

    def add(self, cursor, kind, after):
        extent = cursor.extent
        before = text_of(self.data, extent)
        # A macro's arguments have extents that are not those of an expression.
        if before.count("(") != before.count(")") or "#" in before or "HWY_" in before or not before.strip():
            return
        site = Site(self.path, extent.start.offset, extent.end.offset, extent.start.line, kind, before,
                    after)
        self.sites[(site.start, site.end, kind)] = site

    def outside(self, cursor):
        for child in cursor.get_children():
            if child.kind in FUNCTIONS and self.mine(child):
                head = text_of(self.data, child.extent).split("{")[0]
                if child.is_definition() and not re.search(r"\b(constexpr|consteval)\b", head):
                    for part in child.get_children():
                        if part.kind == Kind.COMPOUND_STMT:
                            self.inside(part, child, False)
            elif child.kind in (Kind.NAMESPACE, Kind.LINKAGE_SPEC, Kind.CLASS_DECL, Kind.STRUCT_DECL,
                                Kind.CLASS_TEMPLATE) and child.location.file is not None and (
                                    child.location.file.name == self.full):
                self.outside(child)

    def inside(self, cursor, parent, braces):
        """braces: within an initialiser list, where a narrowing conversion is an error."""
        if cursor.kind in CONSTANT:
            return self.cases(cursor)
        if not self.mine(cursor):
            return None
        text = text_of(self.data, cursor.extent)
        if cursor.kind == Kind.DECL_STMT and re.match(r"(static\s+)?(const\s+)?constexpr\b", text):
            return None
        if cursor.kind == Kind.IF_STMT and re.match(r"if\s+constexpr\b", text):
            for child in list(cursor.get_children())[1:]:
                self.inside(child, cursor, braces)
            return None
        if cursor.kind == Kind.CALL_EXPR and WITHOUT_MEANING.match(text):
            if parent.kind == Kind.COMPOUND_STMT and "reserve" not in text:
                self.statement(cursor, text, parent)
            return None
        self.change(cursor, parent, text, braces)
        for child in cursor.get_children():
            if cursor.kind in (Kind.DECL_REF_EXPR, Kind.MEMBER_REF_EXPR) and child.kind in (
                    Kind.INTEGER_LITERAL, Kind.CXX_BOOL_LITERAL_EXPR):
                continue  # an argument of a template
            if cursor.kind == Kind.VAR_DECL and child.extent.start.offset < cursor.location.offset:
                continue  # likewise
            if cursor.kind == Kind.VAR_DECL and "[" in cursor.type.spelling.split("(")[0]:
                continue  # the size of an array
            self.inside(child, cursor, braces or cursor.kind == Kind.INIT_LIST_EXPR)
        return None

    def cases(self, cursor):
        if cursor.kind == Kind.CASE_STMT:
            for child in list(cursor.get_children())[1:]:
                self.inside(child, cursor, False)

    def statement(self, cursor, text, parent):
        if parent.kind == Kind.COMPOUND_STMT:
            self.add(cursor, "statement removed", f"(@ ? void() : static_cast<void>({text}))")

    def change(self, cursor, parent, text, braces):
        children = list(cursor.get_children())
        kind = cursor.kind
        if kind in (Kind.BINARY_OPERATOR, Kind.COMPOUND_ASSIGNMENT_OPERATOR) and len(children) == 2:
            self.operator(cursor, children, parent, text)
        elif kind == Kind.UNARY_OPERATOR and children:
            inner = text_of(self.data, children[0].extent)
            if text.startswith("!"):
                self.add(cursor, "not removed", f"(@ ? static_cast<bool>({inner}) : ({text}))")
            elif text.startswith("++") and parent.kind != Kind.FOR_STMT:
                self.add(cursor, "++ to --", f"(@ ? --{inner} : {text})")
            elif text.startswith("-") and not text.startswith("--"):
                self.add(cursor, "minus removed", f"(@ ? +({inner}) : ({text}))")
        elif kind == Kind.INTEGER_LITERAL and not braces and re.fullmatch(r"[0-9a-fxA-FXuUlL']+", text):
            self.add(cursor, "constant + 1", f"(@ ? {text} + 1 : {text})")
        elif kind == Kind.CXX_BOOL_LITERAL_EXPR:
            self.add(cursor, "true to false" if text == "true" else "false to true", f"(@ != {text})")
        elif kind in (Kind.IF_STMT, Kind.CONDITIONAL_OPERATOR) and children:
            places = children[:1] if kind == Kind.CONDITIONAL_OPERATOR else [
                child for child in children[:2] if child.kind.is_expression()][:1]
            for place in places:
                condition = text_of(self.data, place.extent)
                self.add(place, "condition negated", f"(@ != static_cast<bool>({condition}))")
        elif kind == Kind.CALL_EXPR:
            name = re.match(r"[\w:]+", text)
            if name and name.group() in CALLS:
                other = CALLS[name.group()] + text[name.end():]
                self.add(cursor, f"{name.group()} to {CALLS[name.group()]}", f"(@ ? {other} : {text})")
            elif cursor.type.spelling == "void":
                self.statement(cursor, text, parent)

    def operator(self, cursor, children, parent, text):
        left, right = children
        sign = self.data[left.extent.end.offset:right.extent.start.offset].decode().strip()
        if sign == "=":
            return self.statement(cursor, text, parent)
        if sign not in OPERATORS:
            return None
        if sign in "+-" and "*" in right.type.spelling:
            return None  # pointers can be subtracted, not added
        first = text_of(self.data, left.extent)
        second = text_of(self.data, right.extent)
        return self.add(cursor, f"{sign} to {OPERATORS[sign]}",
                        f"(@ ? ({first} {OPERATORS[sign]} {second}) : ({text}))")


def find(root, paths, arguments):
    """PATHS are read as one, because most of the time goes into the headers that they share."""
    group = str(root / "group.cpp")
    text = "".join(f'#include "{root / path}"\n' for path in paths)
    unit = cindex.Index.create().parse(group, args=arguments, unsaved_files=[(group, text)])
    return [site for path in paths for site in sorted(Finder(root, path, unit).sites.values())]


def groups(root, paths, size=8):
    """Sources of a folder together; those alone that Highway compiles for several processors."""
    rest = {}
    for path in paths:
        if "foreach_target" in (root / path).read_text():
            yield [path]
        else:
            rest.setdefault(path.rsplit("/", 1)[0], []).append(path)
    for several in rest.values():
        for at in range(0, len(several), size):
            yield several[at:at + size]


def choose(sites, count, chance, named=()):
    """COUNT of SITES at random, then NAMED, of which none lies within another or is there twice."""
    by_path = {}
    return take(chance.sample(sites, len(sites)), count, by_path) + take(named, len(named), by_path)


def take(sites, count, by_path):
    """The first COUNT of SITES that overlap none that BY_PATH has, which gets them."""
    taken = []
    for site in sites:
        if len(taken) == count:
            break
        others = by_path.setdefault(site.path, [])
        if all(site.end <= other.start or other.end <= site.start for other in others):
            others.append(site)
            taken.append(site)
    return taken


def with_mutants(data, path, numbered, header):
    """The source DATA with the mutants of NUMBERED, (number, site), in it. Lines keep their numbers."""
    for number, site in sorted(numbered, key=lambda item: -item[1].start):
        after = site.after.replace("@", f"::davsim_mutation::on({number})")
        lost = site.before.count("\n") - after.count("\n")
        data = data[:site.start] + (after + "\n" * max(lost, 0)).encode() + data[site.end:]
    quiet = "".join(f'#pragma GCC diagnostic ignored "-W{name}"\n' for name in
                    ["conversion", "sign-compare", "sign-conversion", "parentheses", "return-type",
                     "bool-operation", "int-in-bool-context", "unused-value", "type-limits", "double-promotion",
                     "unused-but-set-variable", "bool-compare", "div-by-zero", "maybe-uninitialized",
                     "array-bounds", "stringop-overflow", "old-style-cast", "useless-cast", "shift-count-overflow",
                     "tautological-compare", "logical-op", "duplicated-branches", "extra", "unused-variable",
                     "unused-function", "unused-parameter", "float-conversion", "restrict", "overflow", "comment"])
    return f'#include "{header}"\n{quiet}#line 1 "{path}"\n'.encode() + data
