//! Keys cannot be printed, copied or compared. Each line stops compiling if a key type gains the trait.

use lacuna_seal::{
    ClassKey, EpochKey, FingerprintKey, MasterKey, MemoryKey, RootKey, SigningKey, UserKey, UserSecret,
};

/// Fails to compile if `$type` implements `$trait`: then both implementations of `Ambiguous` apply, and the
/// compiler cannot tell which marker `_` stands for.
macro_rules! assert_lacks {
    ($($type:ty),* => $trait:path) => { $(
        const _: fn() = || {
            trait Ambiguous<Marker> {
                fn only_one() {}
            }
            struct HasTrait;
            impl<T: ?Sized> Ambiguous<()> for T {}
            impl<T: ?Sized + $trait> Ambiguous<HasTrait> for T {}
            <$type as Ambiguous<_>>::only_one()
        };
    )* };
}

macro_rules! assert_all_lack {
    ($($trait:path),*) => { $(
        assert_lacks!(MasterKey, UserKey, EpochKey, UserSecret, RootKey, ClassKey, MemoryKey, FingerprintKey, SigningKey => $trait);
    )* };
}

assert_all_lack!(std::fmt::Debug, std::fmt::Display, Clone, PartialEq, AsRef<[u8]>, std::ops::Deref);

#[test]
fn keys_are_wiped_when_dropped() {
    fn wipes<T: zeroize::ZeroizeOnDrop>() {}
    wipes::<MasterKey>();
    wipes::<UserKey>();
    wipes::<EpochKey>();
    wipes::<UserSecret>();
    wipes::<RootKey>();
    wipes::<ClassKey>();
    wipes::<MemoryKey>();
    wipes::<SigningKey>();
}
